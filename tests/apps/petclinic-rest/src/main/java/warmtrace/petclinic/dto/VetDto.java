package warmtrace.petclinic.dto;

import java.util.List;

public record VetDto(Integer id, String firstName, String lastName, List<String> specialties) {
}

package warmtrace.petclinic.dto;

import java.time.LocalDate;

public record PetSummaryDto(Integer id, String name, LocalDate birthDate, String type) {
}

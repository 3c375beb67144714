package warmtrace.petclinic.dto;

import java.time.LocalDate;

public record PetDto(Integer id, String name, LocalDate birthDate, String type, Integer ownerId, String ownerName) {
}

package warmtrace.petclinic.dto;

import java.time.LocalDate;

public record VisitDto(Integer id, LocalDate date, String description) {
}

package warmtrace.petclinic.dto;

import java.util.List;

public record OwnerDto(Integer id, String firstName, String lastName, String address, String city, String telephone,
        List<PetSummaryDto> pets) {
}

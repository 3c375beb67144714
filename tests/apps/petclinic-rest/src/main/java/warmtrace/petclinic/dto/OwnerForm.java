package warmtrace.petclinic.dto;

import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;

/** What a client may set of an owner. */
public record OwnerForm(
        @NotBlank @Size(max = 30) String firstName,
        @NotBlank @Size(max = 30) String lastName,
        @NotBlank @Size(max = 255) String address,
        @NotBlank @Size(max = 80) String city,
        @NotBlank @Pattern(regexp = "\\d{1,20}", message = "must be 1 to 20 digits") String telephone) {
}

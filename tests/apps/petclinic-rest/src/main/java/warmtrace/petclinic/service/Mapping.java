package warmtrace.petclinic.service;

import warmtrace.petclinic.dto.OwnerDto;
import warmtrace.petclinic.dto.OwnerForm;
import warmtrace.petclinic.dto.PetDto;
import warmtrace.petclinic.dto.PetSummaryDto;
import warmtrace.petclinic.dto.VetDto;
import warmtrace.petclinic.dto.VisitDto;
import warmtrace.petclinic.model.Owner;
import warmtrace.petclinic.model.Pet;
import warmtrace.petclinic.model.Specialty;
import warmtrace.petclinic.model.Vet;
import warmtrace.petclinic.model.Visit;

/** Entities to DTOs and back; called inside a transaction, since it follows lazy associations. */
final class Mapping {

    private Mapping() {
    }

    static OwnerDto toDto(Owner owner) {
        return new OwnerDto(owner.getId(), owner.getFirstName(), owner.getLastName(), owner.getAddress(),
                owner.getCity(), owner.getTelephone(), owner.getPets().stream().map(Mapping::toSummary).toList());
    }

    static PetSummaryDto toSummary(Pet pet) {
        return new PetSummaryDto(pet.getId(), pet.getName(), pet.getBirthDate(), pet.getType().getName());
    }

    static PetDto toDto(Pet pet) {
        Owner owner = pet.getOwner();
        return new PetDto(pet.getId(), pet.getName(), pet.getBirthDate(), pet.getType().getName(), owner.getId(),
                owner.getFirstName() + " " + owner.getLastName());
    }

    static VisitDto toDto(Visit visit) {
        return new VisitDto(visit.getId(), visit.getDate(), visit.getDescription());
    }

    static VetDto toDto(Vet vet) {
        return new VetDto(vet.getId(), vet.getFirstName(), vet.getLastName(),
                vet.getSpecialties().stream().map(Specialty::getName).toList());
    }

    static void copy(OwnerForm form, Owner owner) {
        owner.setFirstName(form.firstName());
        owner.setLastName(form.lastName());
        owner.setAddress(form.address());
        owner.setCity(form.city());
        owner.setTelephone(form.telephone());
    }
}

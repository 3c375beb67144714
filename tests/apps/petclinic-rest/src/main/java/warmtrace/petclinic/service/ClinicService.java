package warmtrace.petclinic.service;

import java.util.List;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import warmtrace.petclinic.dto.OwnerDto;
import warmtrace.petclinic.dto.OwnerForm;
import warmtrace.petclinic.dto.PetDto;
import warmtrace.petclinic.dto.VetDto;
import warmtrace.petclinic.dto.VisitDto;
import warmtrace.petclinic.dto.VisitForm;
import warmtrace.petclinic.model.Owner;
import warmtrace.petclinic.model.Pet;
import warmtrace.petclinic.model.Visit;
import warmtrace.petclinic.repository.OwnerRepository;
import warmtrace.petclinic.repository.PetRepository;
import warmtrace.petclinic.repository.VetRepository;
import warmtrace.petclinic.repository.VisitRepository;

@Service
@Transactional(readOnly = true)
public class ClinicService {

    private final OwnerRepository owners;
    private final PetRepository pets;
    private final VetRepository vets;
    private final VisitRepository visits;

    public ClinicService(OwnerRepository owners, PetRepository pets, VetRepository vets, VisitRepository visits) {
        this.owners = owners;
        this.pets = pets;
        this.vets = vets;
        this.visits = visits;
    }

    public List<OwnerDto> findOwners(String lastName) {
        List<Owner> found = lastName == null || lastName.isBlank()
                ? owners.findAllByOrderByIdAsc()
                : owners.findByLastNameStartingWithIgnoreCaseOrderByIdAsc(lastName);
        return found.stream().map(Mapping::toDto).toList();
    }

    public OwnerDto findOwner(Integer id) {
        return Mapping.toDto(owner(id));
    }

    @Transactional
    public OwnerDto createOwner(OwnerForm form) {
        Owner owner = new Owner();
        Mapping.copy(form, owner);
        return Mapping.toDto(owners.save(owner));
    }

    @Transactional
    public OwnerDto updateOwner(Integer id, OwnerForm form) {
        Owner owner = owner(id);
        Mapping.copy(form, owner);
        return Mapping.toDto(owner);
    }

    public List<PetDto> findPets() {
        return pets.findAllWithTypeAndOwner().stream().map(Mapping::toDto).toList();
    }

    public PetDto findPet(Integer id) {
        return Mapping.toDto(pet(id));
    }

    public List<VisitDto> findVisits(Integer petId) {
        pet(petId);
        return visits.findByPetIdOrderByDateAsc(petId).stream().map(Mapping::toDto).toList();
    }

    @Transactional
    public VisitDto addVisit(Integer petId, VisitForm form) {
        return Mapping.toDto(visits.save(new Visit(pet(petId), form.date(), form.description())));
    }

    public List<VetDto> findVets() {
        return vets.findAllByOrderByIdAsc().stream().map(Mapping::toDto).toList();
    }

    private Owner owner(Integer id) {
        return owners.findOneById(id).orElseThrow(() -> new NotFoundException("owner", id));
    }

    private Pet pet(Integer id) {
        return pets.findWithTypeAndOwner(id).orElseThrow(() -> new NotFoundException("pet", id));
    }
}

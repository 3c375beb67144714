package warmtrace.petclinic.web;

import jakarta.validation.Valid;
import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import warmtrace.petclinic.dto.PetDto;
import warmtrace.petclinic.dto.VisitDto;
import warmtrace.petclinic.dto.VisitForm;
import warmtrace.petclinic.service.ClinicService;

@RestController
@RequestMapping("/api/pets")
public class PetController {

    private final ClinicService clinic;

    public PetController(ClinicService clinic) {
        this.clinic = clinic;
    }

    @GetMapping
    public List<PetDto> list() {
        return clinic.findPets();
    }

    @GetMapping("/{id}")
    public PetDto get(@PathVariable Integer id) {
        return clinic.findPet(id);
    }

    @GetMapping("/{id}/visits")
    public List<VisitDto> visits(@PathVariable Integer id) {
        return clinic.findVisits(id);
    }

    @PostMapping("/{id}/visits")
    @ResponseStatus(HttpStatus.CREATED)
    public VisitDto addVisit(@PathVariable Integer id, @Valid @RequestBody VisitForm form) {
        return clinic.addVisit(id, form);
    }
}

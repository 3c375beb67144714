package warmtrace.petclinic.web;

import jakarta.validation.Valid;
import java.net.URI;
import java.util.List;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import warmtrace.petclinic.dto.OwnerDto;
import warmtrace.petclinic.dto.OwnerForm;
import warmtrace.petclinic.service.ClinicService;

@RestController
@RequestMapping("/api/owners")
public class OwnerController {

    private final ClinicService clinic;

    public OwnerController(ClinicService clinic) {
        this.clinic = clinic;
    }

    @GetMapping
    public List<OwnerDto> list(@RequestParam(required = false) String lastName) {
        return clinic.findOwners(lastName);
    }

    @GetMapping("/{id}")
    public OwnerDto get(@PathVariable Integer id) {
        return clinic.findOwner(id);
    }

    @PostMapping
    public ResponseEntity<OwnerDto> create(@Valid @RequestBody OwnerForm form) {
        OwnerDto owner = clinic.createOwner(form);
        return ResponseEntity.created(URI.create("/api/owners/" + owner.id())).body(owner);
    }

    @PutMapping("/{id}")
    public OwnerDto update(@PathVariable Integer id, @Valid @RequestBody OwnerForm form) {
        return clinic.updateOwner(id, form);
    }
}

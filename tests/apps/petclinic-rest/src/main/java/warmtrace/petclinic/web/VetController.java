package warmtrace.petclinic.web;

import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import warmtrace.petclinic.dto.VetDto;
import warmtrace.petclinic.service.ClinicService;

@RestController
@RequestMapping("/api/vets")
public class VetController {

    private final ClinicService clinic;

    public VetController(ClinicService clinic) {
        this.clinic = clinic;
    }

    @GetMapping
    public List<VetDto> list() {
        return clinic.findVets();
    }
}

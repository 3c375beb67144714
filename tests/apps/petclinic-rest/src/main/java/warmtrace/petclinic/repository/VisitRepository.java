package warmtrace.petclinic.repository;

import java.util.List;
import org.springframework.data.jpa.repository.JpaRepository;
import warmtrace.petclinic.model.Visit;

public interface VisitRepository extends JpaRepository<Visit, Integer> {

    List<Visit> findByPetIdOrderByDateAsc(Integer petId);
}

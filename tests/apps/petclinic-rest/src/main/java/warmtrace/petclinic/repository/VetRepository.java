package warmtrace.petclinic.repository;

import java.util.List;
import org.springframework.data.jpa.repository.EntityGraph;
import org.springframework.data.jpa.repository.JpaRepository;
import warmtrace.petclinic.model.Vet;

public interface VetRepository extends JpaRepository<Vet, Integer> {

    @EntityGraph(attributePaths = "specialties")
    List<Vet> findAllByOrderByIdAsc();
}

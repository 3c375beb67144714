package warmtrace.petclinic.repository;

import java.util.List;
import java.util.Optional;
import org.springframework.data.jpa.repository.EntityGraph;
import org.springframework.data.jpa.repository.JpaRepository;
import warmtrace.petclinic.model.Owner;

public interface OwnerRepository extends JpaRepository<Owner, Integer> {

    // One join instead of a query per owner: what a warm request costs should not be an avoidable N+1.
    @EntityGraph(attributePaths = {"pets", "pets.type"})
    List<Owner> findAllByOrderByIdAsc();

    @EntityGraph(attributePaths = {"pets", "pets.type"})
    List<Owner> findByLastNameStartingWithIgnoreCaseOrderByIdAsc(String lastName);

    @EntityGraph(attributePaths = {"pets", "pets.type"})
    Optional<Owner> findOneById(Integer id);
}

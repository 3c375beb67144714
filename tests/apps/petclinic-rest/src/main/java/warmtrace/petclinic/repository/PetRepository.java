package warmtrace.petclinic.repository;

import java.util.List;
import java.util.Optional;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Query;
import warmtrace.petclinic.model.Pet;

public interface PetRepository extends JpaRepository<Pet, Integer> {

    @Query("select p from Pet p join fetch p.type join fetch p.owner order by p.id")
    List<Pet> findAllWithTypeAndOwner();

    @Query("select p from Pet p join fetch p.type join fetch p.owner where p.id = :id")
    Optional<Pet> findWithTypeAndOwner(Integer id);
}

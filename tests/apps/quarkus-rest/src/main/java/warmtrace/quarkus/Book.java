package warmtrace.quarkus;

import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

@Entity
@Table(name = "books")
public class Book extends PanacheEntityBase {

    @Id
    public Long id;

    public String title;

    public String shelf;

    public int pages;
}

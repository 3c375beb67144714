package warmtrace.quarkus;

import io.quarkus.panache.common.Sort;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.Path;
import java.util.List;

@Path("/api/books")
public class BookResource {

    @GET
    public List<Book> list() {
        return Book.listAll(Sort.by("id"));
    }

    @GET
    @Path("/{id}")
    public Book get(Long id) {
        Book book = Book.findById(id);
        if (book == null) {
            throw new NotFoundException();
        }
        return book;
    }
}

package warmtrace.micronaut;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.util.List;

@Controller("/api/items")
public class ItemController {

    private static final List<Item> ITEMS = List.of(
            new Item(1, "hinge", 211), new Item(2, "bracket", 97), new Item(3, "dowel", 353), new Item(4, "washer", 509),
            new Item(5, "cleat", 149), new Item(6, "grommet", 127), new Item(7, "shim", 269));

    /** On the blocking executor, so that a request goes from the event loop to another thread and back. */
    @Get
    @ExecuteOn(TaskExecutors.BLOCKING)
    public List<Item> list() {
        return ITEMS;
    }

    /** On the event loop itself. Null becomes 404. */
    @Get("/{id}")
    @Nullable
    public Item get(int id) {
        return ITEMS.stream().filter(item -> item.id() == id).findFirst().orElse(null);
    }
}

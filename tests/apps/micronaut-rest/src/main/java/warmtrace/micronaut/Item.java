package warmtrace.micronaut;

import io.micronaut.serde.annotation.Serdeable;

@Serdeable
public record Item(int id, String name, int quantity) {
}

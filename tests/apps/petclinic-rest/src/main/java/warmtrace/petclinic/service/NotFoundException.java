package warmtrace.petclinic.service;

public class NotFoundException extends RuntimeException {

    public NotFoundException(String kind, Integer id) {
        super("no " + kind + " with id " + id);
    }
}

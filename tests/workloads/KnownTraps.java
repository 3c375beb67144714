/**
 * Has code compiled that then meets, once in each of 7 methods, what it was not compiled for: the branch that was never taken.
 *
 * Run with -Xbatch -XX:-TieredCompilation, so that a method is compiled before it is called on.
 */
public final class KnownTraps {

    private static final int CALLS = 30_000;
    private static int sum;

    private KnownTraps() {
    }

    public static void main(String[] args) {
        warm0();
        sum += trap0(-1);
        warm1();
        sum += trap1(-1);
        warm2();
        sum += trap2(-1);
        warm3();
        sum += trap3(-1);
        warm4();
        sum += trap4(-1);
        warm5();
        sum += trap5(-1);
        warm6();
        sum += trap6(-1);
        System.out.println("{\"traps\": 7, \"sum\": " + sum + "}");
    }

    private static void warm0() {
        for (int i = 0; i < CALLS; i++) {
            sum += trap0(i);
        }
    }

    private static int trap0(int number) {
        return number < 0 ? sum * 3 : number + 0;
    }

    private static void warm1() {
        for (int i = 0; i < CALLS; i++) {
            sum += trap1(i);
        }
    }

    private static int trap1(int number) {
        return number < 0 ? sum * 4 : number + 1;
    }

    private static void warm2() {
        for (int i = 0; i < CALLS; i++) {
            sum += trap2(i);
        }
    }

    private static int trap2(int number) {
        return number < 0 ? sum * 5 : number + 2;
    }

    private static void warm3() {
        for (int i = 0; i < CALLS; i++) {
            sum += trap3(i);
        }
    }

    private static int trap3(int number) {
        return number < 0 ? sum * 6 : number + 3;
    }

    private static void warm4() {
        for (int i = 0; i < CALLS; i++) {
            sum += trap4(i);
        }
    }

    private static int trap4(int number) {
        return number < 0 ? sum * 7 : number + 4;
    }

    private static void warm5() {
        for (int i = 0; i < CALLS; i++) {
            sum += trap5(i);
        }
    }

    private static int trap5(int number) {
        return number < 0 ? sum * 8 : number + 5;
    }

    private static void warm6() {
        for (int i = 0; i < CALLS; i++) {
            sum += trap6(i);
        }
    }

    private static int trap6(int number) {
        return number < 0 ? sum * 9 : number + 6;
    }
}

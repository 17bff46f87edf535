// SPDX-License-Identifier: MIT
// Accesses that leave an object on the stack for its neighbour: kernels
// CASE_bad and CASE_fixed, as in scopes.cl. A CASE_fixed alone is right, and
// its machine code may look as if it were not.
#define ITEM ((int)__builtin_amdgcn_workitem_id_x())
#define AT ((int)__builtin_amdgcn_workgroup_id_x() * 128 + ITEM)
#define CALLED __attribute__((noinline))

// Elements 0 to 8 of arrays of 8, by lanes. In optimized code an array at 0 has no
// address that could be followed.
kernel void past_bad(global int *a, global int *b)
{
  volatile int other[8], first[8], second[8];
  for (int i = 0; i < 8; i++)
    other[i] = first[i] = second[i] = i;
  first[ITEM % 9] = 1; // FINDS past: out of bounds
  b[AT] = first[a[AT]] + second[a[AT]];
}

kernel void past_fixed(global int *a, global int *b)
{
  volatile int other[8], first[8], second[8];
  for (int i = 0; i < 8; i++)
    other[i] = first[i] = second[i] = i;
  first[ITEM % 8] = 1;
  b[AT] = first[a[AT]] + second[a[AT]];
}

kernel void before_bad(global int *a, global int *b)
{
  volatile int first[8], second[8];
  for (int i = 0; i < 8; i++)
    first[i] = second[i] = i;
  b[AT] = second[ITEM % 9 - 1] + first[a[AT]]; // FINDS before: out of bounds
}

kernel void before_fixed(global int *a, global int *b)
{
  volatile int first[8], second[8];
  for (int i = 0; i < 8; i++)
    first[i] = second[i] = i;
  b[AT] = second[ITEM % 8] + first[a[AT]];
}

CALLED static int of_function(int item, int most)
{
  volatile int first[8], second[8];
  for (int i = 0; i < 8; i++)
    first[i] = second[i] = i;
  first[item % most] = 1; // FINDS in_function: out of bounds
  return first[item % 8] + second[item % 8];
}

kernel void in_function_bad(global int *a, global int *b)
{
  b[AT] = of_function(ITEM, a[AT] + 9);
}

kernel void in_function_fixed(global int *a, global int *b)
{
  b[AT] = of_function(ITEM, a[AT] + 8);
}

// The caller's array, by its address.
CALLED static void fill(volatile private int *to, int count)
{
  for (int i = 0; i < count; i++)
    to[i] = i; // FINDS by_argument: out of bounds
}

kernel void by_argument_bad(global int *a, global int *b)
{
  volatile int first[8], second[8];
  fill(second, 8);
  fill(first, 9 + a[AT]);
  b[AT] = first[a[AT]] + second[a[AT]];
}

kernel void by_argument_fixed(global int *a, global int *b)
{
  volatile int first[8], second[8];
  fill(second, 8);
  fill(first, 8 + a[AT]);
  b[AT] = first[a[AT]] + second[a[AT]];
}

struct row {
  int count;
  int cells[7];
};

kernel void in_struct_bad(global int *a, global int *b)
{
  volatile struct row one, two;
  for (int i = 0; i < 7; i++)
    one.cells[i] = two.cells[i] = i;
  one.cells[ITEM % 8] = 1; // FINDS in_struct: out of bounds
  b[AT] = one.cells[a[AT]] + two.cells[a[AT]];
}

kernel void in_struct_fixed(global int *a, global int *b)
{
  volatile struct row one, two;
  for (int i = 0; i < 7; i++)
    one.cells[i] = two.cells[i] = i;
  one.cells[ITEM % 7] = 1;
  b[AT] = one.cells[a[AT]] + two.cells[a[AT]];
}

kernel void of_bytes_bad(global int *a, global int *b)
{
  volatile char other[16], first[16], second[16];
  for (int i = 0; i < 16; i++)
    other[i] = first[i] = second[i] = (char)i;
  first[ITEM % 20] = 1; // FINDS of_bytes: out of bounds
  b[AT] = first[a[AT]] + second[a[AT]];
}

kernel void of_bytes_fixed(global int *a, global int *b)
{
  volatile char other[16], first[16], second[16];
  for (int i = 0; i < 16; i++)
    other[i] = first[i] = second[i] = (char)i;
  first[ITEM % 16] = 1;
  b[AT] = first[a[AT]] + second[a[AT]];
}

kernel void of_rows_bad(global int *a, global int *b)
{
  volatile int first[3][4], second[3][4];
  for (int i = 0; i < 12; i++)
    first[i / 4][i % 4] = second[i / 4][i % 4] = i;
  first[ITEM % 4][a[AT]] = 1; // FINDS of_rows: out of bounds
  b[AT] = first[a[AT]][1] + second[a[AT]][1];
}

kernel void of_rows_fixed(global int *a, global int *b)
{
  volatile int first[3][4], second[3][4];
  for (int i = 0; i < 12; i++)
    first[i / 4][i % 4] = second[i / 4][i % 4] = i;
  first[ITEM % 3][a[AT]] = 1;
  b[AT] = first[a[AT]][1] + second[a[AT]][1];
}

// A pointer that is kept in memory.
kernel void by_pointer_bad(global int *a, global int *b)
{
  volatile int first[8], second[8];
  volatile private int *volatile at = first;
  for (int i = 0; i < 8; i++)
    first[i] = second[i] = i;
  for (int i = 0; i < 9 + a[AT]; i++)
    at[i] = i; // FINDS by_pointer: out of bounds
  b[AT] = first[a[AT]] + second[a[AT]];
}

kernel void by_pointer_fixed(global int *a, global int *b)
{
  volatile int first[8], second[8];
  volatile private int *volatile at = first;
  for (int i = 0; i < 8; i++)
    first[i] = second[i] = i;
  for (int i = 0; i < 8 + a[AT]; i++)
    at[i] = i;
  b[AT] = first[a[AT]] + second[a[AT]];
}

// ---- right programs ----

// One instruction accesses both arrays, by a pointer to either.
kernel void either_fixed(global int *a, global int *b)
{
  volatile int first[8], second[8];
  for (int i = 0; i < 16; i++) {
    volatile private int *at = i < 8 ? first : second;
    at[i % 8] = i;
  }
  volatile private int *mine = ITEM & 1 ? first : second;
  mine[ITEM % 8] = a[AT];
  b[AT] = first[a[AT]] + second[a[AT]];
}

// The compiler may begin at the neighbour.
kernel void shifted_fixed(global int *a, global int *b)
{
  volatile int first[8], second[8], third[8];
  for (int i = 8; i < 16; i++) {
    third[i - 8] = i;
    second[i - 8] = i;
    first[i - 8] = i;
  }
  for (int i = -8; i < 0; i++) {
    first[i + 8] += a[AT];
    second[i + 8] += a[AT];
  }
  b[AT] = first[ITEM % 8] + second[ITEM % 8] + third[ITEM % 8];
}

// Two lives, perhaps at one place.
kernel void blocks_fixed(global int *a, global int *b)
{
  int sum = 0;
  {
    volatile int first[8];
    for (int i = 0; i < 8; i++)
      first[i] = i + a[AT];
    sum += first[ITEM % 8];
  }
  {
    volatile int second[12];
    for (int i = 0; i < 12; i++)
      second[i] = i + a[AT];
    sum += second[ITEM % 12];
  }
  b[AT] = sum;
}

CALLED static int total(volatile private int *of, int count)
{
  volatile int own[4];
  int sum = 0;
  for (int i = 0; i < count; i++) {
    own[i % 4] = of[i];
    sum += own[i % 4];
  }
  return sum;
}

// One function for several arrays of several frames; copies of whole ones.
kernel void called_fixed(global int *a, global int *b)
{
  volatile int first[8], second[24];
  struct row one = {7, {1, 2, 3, 4, 5, 6, 7}}, two;
  volatile struct row kept;
  for (int i = 0; i < 8; i++)
    first[i] = i;
  for (int i = 0; i < 24; i++)
    second[i] = i + a[AT];
  two = one;
  two.cells[a[AT]] += 1;
  kept = two;
  b[AT] = total(first, 8) + total(second, 24) + total(kept.cells, 7);
}

CALLED static int at(volatile private int *of, int i) { return of[i]; }

CALLED static int ends(int item)
{
  volatile int first[8], second[8];
  for (int i = 0; i < 8; i++)
    first[i] = second[i] = i;
  volatile int *end = first + 8;
  end -= item % 8 + 1;
  *end = item;
  return at(second, item % 8) + at(first + 8, -1 - item % 8);
}

// The end of the first array is the begin of the second one.
kernel void ends_fixed(global int *a, global int *b)
{
  volatile int first[8], second[8];
  for (int i = 0; i < 8; i++)
    first[i] = second[i] = i;
  for (int i = 0; i < 4 + a[AT]; i++) {
    volatile private int *by = i & 1 ? second : first + 8;
    by[i & 1 ? i : -1 - i] = i;
  }
  b[AT] = at(second, ITEM % 8) + at(first + 8, -1 - ITEM % 8) + ends(ITEM);
}

// RDNA 3 moves and selects two addresses in one instruction.
kernel void selected_fixed(global int *a, global int *b)
{
  volatile int first[4], second[4];
  first[ITEM & 3] = second[ITEM & 3] = 1;
  for (int i = 0; i < 4; i++) {
    volatile private int *at = (ITEM + i) & 1 ? second : first;
    at[1] = a[AT] + i;
  }
  b[AT] = first[1] + second[1];
}

struct link {
  int value;
  volatile private struct link *next;
};

kernel void linked_fixed(global int *a, global int *b)
{
  volatile struct link links[6], head;
  int sum = 0;
  for (int i = 0; i < 6; i++) {
    links[i].value = i + a[AT];
    links[i].next = i < 5 ? &links[i + 1] : 0;
  }
  head.value = 0;
  head.next = links;
  for (volatile private struct link *p = &head; p; p = p->next)
    sum += p->value;
  b[AT] = sum;
}

// Integers that are like the places of objects, beside addresses.
kernel void numbers_fixed(global int *a, global int *b)
{
  volatile int first[8], second[8];
  int step = 32, place = 16;
  for (int i = 0; i < 8; i++)
    first[i] = second[i] = i;
  volatile private char *at = (volatile private char *)first;
  for (int i = 0; i < 32; i += place)
    at[i] = (char)(step + i);
  b[AT] = first[(step - place + a[AT]) % 8] + second[place % 8 + a[AT]];
}

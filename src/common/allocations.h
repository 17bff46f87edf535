/* SPDX-License-Identifier: MIT */
/*
 * The allocation map: the memory that the devices of a simulator may access,
 * with its owner and purpose. Allocators publish here; executors (executor.h)
 * and checkers look up.
 *
 * Guest addresses are host addresses, so `base` is mostly where both see the
 * bytes. Locked host memory has an alias besides (see aq_address_host), and
 * memory of a device may be protected from the host: then the simulator reaches
 * the same pages by a second mapping, at the distance that `shift` gives.
 * Allocations may overlap (host memory is locked piece by piece): an access is
 * allowed if one of them allows it, in whole pages as on a GPU. The map keeps
 * the last AQ_ALLOCATIONS_FREED withdrawn allocations for diagnosis.
 *
 * Threads: any thread may publish, withdraw and look up at any time. Looking up
 * takes no lock: it repeats while a writer is at work. Naming an address takes
 * the writers' lock.
 */
#ifndef AQ_COMMON_ALLOCATIONS_H
#define AQ_COMMON_ALLOCATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  AQ_ALLOCATIONS_FREED = 512,
  AQ_ALLOCATION_TEXT_SIZE = 160,
  AQ_ALLOCATION_PAGE = 4096, /* bytes that a GPU maps at a time */
};

typedef enum aq_allocation_kind {
#define K(name, text) AQ_ALLOCATION_##name,
#include "common/allocations.def"
#undef K
} aq_allocation_kind;

typedef enum aq_access {
  AQ_ACCESS_READ,
  AQ_ACCESS_WRITE,
  AQ_ACCESS_EXECUTE,
} aq_access;

/* Bits of devices, by ordinal; more than 64 devices are not supported. */
#define AQ_DEVICES_ALL UINT64_MAX
static inline uint64_t aq_device_bit(uint32_t device)
{
  return UINT64_C(1) << (device & 63);
}

/* Locked host memory has another address on devices: its alias, where no
 * process of the host has memory. Such an address is the host's plus a
 * constant. */
#define AQ_ALIAS_BASE (UINT64_C(1) << 47)

static inline bool aq_address_is_alias(uint64_t address)
{
#if defined(__x86_64__)
  return address >> 47 == 1;
#else
  (void)address; /* processes may have memory there */
  return false;
#endif
}

/* The host's address of the memory that a device sees at an address. */
static inline uint64_t aq_address_host(uint64_t address)
{
  return aq_address_is_alias(address) ? address - AQ_ALIAS_BASE : address;
}

/* The alias of `size` bytes at an address of the host; that address itself if
 * they cannot have one. */
static inline uint64_t aq_address_alias(uint64_t address, uint64_t size)
{
  const bool fits = address < AQ_ALIAS_BASE && size <= AQ_ALIAS_BASE - address;
  return fits && aq_address_is_alias(address + AQ_ALIAS_BASE)
             ? address + AQ_ALIAS_BASE
             : address;
}

typedef struct aq_allocation {
  uint64_t base, size; /* bytes */
  uint64_t readers;    /* bits of the devices that may read */
  uint64_t writers;
  /* An address less this is where this process reaches the byte; an alias has
   * its own, whatever it says. */
  uint64_t shift;
  uint32_t device; /* in whose memory it lies, or AQ_DEVICE_HOST */
  uint8_t kind;    /* aq_allocation_kind */
  bool executable; /* its readers may execute it */
  bool fine;       /* fine-grained: caches of devices do not keep it */
} aq_allocation;

/* The accessible range: a GPU maps whole pages, not the requested size. */
static inline uint64_t aq_allocation_first(const aq_allocation *a)
{
  return a->base & ~(uint64_t)(AQ_ALLOCATION_PAGE - 1);
}
static inline uint64_t aq_allocation_end(const aq_allocation *a)
{
  return (a->base + a->size + AQ_ALLOCATION_PAGE - 1) &
         ~(uint64_t)(AQ_ALLOCATION_PAGE - 1);
}

typedef struct aq_allocations aq_allocations;

/* NULL: out of memory. */
aq_allocations *aq_allocations_create(void);
void aq_allocations_destroy(aq_allocations *map);

/* Publishes an allocation of at least one byte; false: out of memory. The
 * memory has to stay until it is withdrawn. */
bool aq_allocations_add(aq_allocations *map, const aq_allocation *allocation);

/* Withdraws the newest allocation of a kind that begins at `base`; false:
 * there is none. */
bool aq_allocations_remove(aq_allocations *map, uint64_t base,
                           aq_allocation_kind kind);

/* Puts a list of allocations in the place of the newest of a kind that begins
 * at `base`, if there is one: no lookup comes in between. False: out of memory,
 * and nothing changed. */
bool aq_allocations_replace(aq_allocations *map, uint64_t base,
                            aq_allocation_kind kind, const aq_allocation *list,
                            size_t count);

/* Changes the devices of the newest allocation of a kind that begins at `base`;
 * false: there is none. */
bool aq_allocations_allow(aq_allocations *map, uint64_t base,
                          aq_allocation_kind kind, uint64_t readers,
                          uint64_t writers);

/* Whether memory that no allocation covers may be touched where it is mapped,
 * as on devices that retry page faults (XNACK). It may not, at first. */
void aq_allocations_open(aq_allocations *map, bool open);
bool aq_allocations_are_open(const aq_allocations *map);

/* The allocation at an address that allows a device the access; false: none. */
bool aq_allocations_find(const aq_allocations *map, uint64_t address,
                         uint32_t device, aq_access access, aq_allocation *out);

/* The allocation of a kind at an address; false: there is none. Takes the
 * writers' lock. */
bool aq_allocations_of_kind(aq_allocations *map, uint64_t address,
                            aq_allocation_kind kind, aq_allocation *out);

/* Copies up to `capacity` allocations in the order of their pages and returns
 * how many there are. Takes the writers' lock. */
size_t aq_allocations_list(aq_allocations *map, aq_allocation *out,
                           size_t capacity);

/* What people read of a kind; NULL behind the last. */
const char *aq_allocation_kind_text(unsigned kind);

/* The number of executable allocations withdrawn so far: facts about code stay
 * valid while it does not change. */
uint64_t aq_allocations_code_removed(const aq_allocations *map);

/* How many aliases are published. */
uint64_t aq_allocations_aliases(const aq_allocations *map);

/* Whether an allocation is published that is protected from the host. */
bool aq_allocations_protect(const aq_allocations *map);

/* Where this process reaches the byte at an address: for readers and writers of
 * memory in a device's place. NULL as a map: it has no allocation. */
uint64_t aq_allocations_reach(const aq_allocations *map, uint64_t address);

/* The allocation that is protected from the host at an address; false: none.
 * Takes no lock. */
bool aq_allocations_protected(const aq_allocations *map, uint64_t address,
                              aq_allocation *out);

/* Whether any device may execute code at an address: an allocation allows it
 * or, in an open map, none covers the address. */
bool aq_allocations_executable(const aq_allocations *map, uint64_t address);

/* Whether an allocation covers the address, whatever it allows. */
bool aq_allocations_cover(const aq_allocations *map, uint64_t address);

/* "4096 bytes of pool memory of device 0 at 0x7f…". */
void aq_allocation_name(const aq_allocation *allocation, char *text,
                        size_t size);

/* Of an address that no allocation is near to: a null pointer, or memory of
 * this process that no call gave to the devices. NULL: neither. Static. */
const char *aq_address_stray(uint64_t address);

/* Says where an address lies, for people: "8 bytes past the end of 4096 bytes
 * of pool memory of device 0 at 0x7f…", or that the allocation was freed. */
void aq_allocations_name(aq_allocations *map, uint64_t address,
                         char text[AQ_ALLOCATION_TEXT_SIZE]);

#endif

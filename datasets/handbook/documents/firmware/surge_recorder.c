/*
 * surge_recorder.c - keeps the pressure waves that pass between two ordinary readings.
 *
 * Pebble 5 only: Pebble 4 has a single converter and cannot listen while it sleeps. When a pump
 * trips, a wave runs along the main and is over before the sampler looks again. This module lets
 * the second converter fill a ring in RAM and, once the pressure jumps, saves what lay before
 * the jump together with what follows.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "cell.h"
#include "crc16.h"
#include "flash.h"
#include "modem.h"
#include "rtc.h"

#define RATE_HZ         128
#define PRE_S           8       /* kept from before the jump */
#define POST_S          24      /* recorded after it */
#define RING_LEN        (RATE_HZ * (PRE_S + POST_S))    /* 4096 samples, 8 KiB */

#define JUMP_MBAR       600     /* difference that counts as a jump ... */
#define JUMP_SPAN       16      /* ... between samples this far apart: 125 ms */
#define JUMP_CONFIRM    3       /* comparisons in a row; a lone spike is electrical */

#define HOLDOFF_S       90      /* the echo of the same wave is not a second event */
#define DAY_QUOTA       12
#define MIN_CELL_MV     3250    /* below this the recorder costs more than it tells */
#define BAD_SECTOR_MAX  3

/*
 * While the modem sends, the supply sags and the sensor reads low, by 35 to 45 mbar on the boards
 * of revision C and by 10 on those of revision D. Samples taken then are stored with the lowest
 * bit set and never compared.
 */
#define MARK_MODEM      0x0001

enum surge_state { DISARMED, ARMED, CATCHING, SAVING };

enum surge_error {
    SURGE_OK = 0,
    SURGE_E_CELL = -1,      /* cell too low to arm */
    SURGE_E_FLASH = -2,     /* too many bad sectors, disarmed until service */
    SURGE_E_QUOTA = -3,     /* day is full and this wave is smaller than all kept ones */
};

struct surge_header {
    uint32_t at;            /* seconds since 2020-01-01, UTC, of the confirmed jump */
    uint16_t amplitude;     /* mbar, highest minus lowest over the capture */
    uint16_t modem_samples; /* how many carry MARK_MODEM */
    uint16_t crc;           /* CRC-16 over the ring in time order, start 0xFFFF */
};

static struct {
    volatile enum surge_state state;
    int16_t  ring[RING_LEN];
    uint16_t head;          /* next to be written */
    uint16_t left;          /* samples still to catch */
    uint8_t  streak;
    uint8_t  bad_sectors;
    uint8_t  saved_today;
    uint16_t smallest_today;
    uint32_t today;         /* day number of saved_today */
    uint32_t quiet_until;
    uint32_t at;
} rec;

int surge_arm(void)
{
    if (rec.bad_sectors >= BAD_SECTOR_MAX)
        return SURGE_E_FLASH;
    if (cell_millivolts() < MIN_CELL_MV)
        return SURGE_E_CELL;
    memset(rec.ring, 0, sizeof rec.ring);
    rec.head = rec.streak = 0;
    /* The ring must be full before a jump may count, or its front would be zeros. */
    rec.quiet_until = rtc_seconds() + PRE_S;
    rec.state = ARMED;
    return SURGE_OK;
}

/* Interrupt context: no division, no flash, at most 40 microseconds. */
void surge_sample(int16_t mbar)
{
    int16_t then, value = mbar & ~MARK_MODEM;

    if (rec.state != ARMED && rec.state != CATCHING)
        return;
    if (modem_is_sending())
        value |= MARK_MODEM;
    then = rec.ring[(rec.head + RING_LEN - JUMP_SPAN) % RING_LEN];
    rec.ring[rec.head] = value;
    rec.head = (rec.head + 1) % RING_LEN;

    if (rec.state == CATCHING) {
        if (--rec.left == 0)
            rec.state = SAVING;
        return;
    }
    if (((value | then) & MARK_MODEM) || rtc_seconds() < rec.quiet_until) {
        rec.streak = 0;
        return;
    }
    if (value - then > JUMP_MBAR || then - value > JUMP_MBAR)
        rec.streak++;
    else
        rec.streak = 0;
    if (rec.streak == JUMP_CONFIRM) {
        rec.at = rtc_seconds();
        rec.left = RATE_HZ * POST_S;
        rec.state = CATCHING;
    }
}

/*
 * A full day does not stop the recorder: a larger wave takes the place of the smallest one, since
 * the network model wants extremes. Fitters who test valves all morning had used up the day before
 * the real event came (field report of Ines Carvalhosa, winter of 2024).
 */
static int claim_slot(uint16_t amplitude)
{
    uint32_t day = rtc_seconds() / 86400;

    if (day != rec.today) {
        rec.today = day;
        rec.saved_today = 0;
    }
    if (rec.saved_today < DAY_QUOTA)
        return rec.saved_today++;
    if (amplitude <= rec.smallest_today)
        return SURGE_E_QUOTA;
    return flash_slot_of_smallest(day);
}

static int save(void)
{
    struct surge_header h = { .at = rec.at };
    int16_t low = INT16_MAX, high = INT16_MIN;
    int slot;

    for (uint16_t i = 0; i < RING_LEN; i++) {
        int16_t v = rec.ring[i];
        if (v & MARK_MODEM) {
            h.modem_samples++;
            continue;
        }
        low = v < low ? v : low;
        high = v > high ? v : high;
    }
    h.amplitude = high > low ? (uint16_t)(high - low) : 0;
    if ((slot = claim_slot(h.amplitude)) < 0)
        return slot;
    h.crc = crc16_ring(0xFFFF, rec.ring, RING_LEN, rec.head);
    /* Read back: sectors wear out silently, and a wrong wave is worse than none. */
    while (!flash_write_verified(slot, &h, sizeof h, rec.ring, sizeof rec.ring, h.crc)) {
        flash_retire(slot);
        if (++rec.bad_sectors >= BAD_SECTOR_MAX)
            return SURGE_E_FLASH;
        slot = flash_spare();
    }
    rec.smallest_today = flash_smallest_amplitude(rec.today);
    return SURGE_OK;
}

int surge_poll(void)
{
    int outcome;

    if (rec.state != SAVING)
        return SURGE_OK;
    outcome = save();
    rec.quiet_until = rtc_seconds() + HOLDOFF_S;
    rec.streak = 0;
    rec.state = outcome == SURGE_E_FLASH ? DISARMED : ARMED;
    return outcome;
}

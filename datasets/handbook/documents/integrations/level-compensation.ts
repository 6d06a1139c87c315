/**
 * Corrects the level readings of outfall chambers for air pressure and for salt.
 *
 * A vent would drown at the first spring tide, so the probes in these chambers are sealed and weigh
 * the air above the water as well. On a calm day that is a constant; during the passage of a front
 * it looks like a filling chamber, and in October 2022 it set off eleven overflow alarms along one
 * estuary in a night. We fetch air pressure from
 * the weather stations nearby and subtract it. Where the tide comes in, the water is also denser
 * than the probe assumes.
 *
 * Runs every ten minutes as a job beside the query service. It writes corrected values as a
 * channel of their own and leaves the raw ones alone.
 */

import { distanceKm, type Place } from "./geo";

export interface Station {
  id: string;
  place: Place;
  /** Metres above sea level of the barometer, not of the mast. */
  altitudeM: number;
}

export interface PressurePoint {
  at: number; // epoch milliseconds
  hPa: number; // at the station's own altitude
}

export interface Outfall {
  site: string;
  place: Place;
  altitudeM: number;
  /** Share of sea water at high tide, from the yearly sampling; 0 inland. */
  saltShare: number;
}

export type Verdict =
  | { kind: "corrected"; levelM: number; station: string; uncertaintyM: number }
  | { kind: "withheld"; reason: "no-station" | "gap" | "implausible" };

/** One hectopascal carries this much fresh water, in metres. */
const METRES_PER_HPA = 0.010197;

/** Air pressure falls by one hectopascal for about 8.3 m of height near sea level. */
const METRES_OF_AIR_PER_HPA = 8.3;

/** The pressure at which the factory sets the probe's zero. */
const FACTORY_HPA = 1013.25;

/** Beyond this a station may lie on the other side of a front. */
const MAX_DISTANCE_KM = 35;

/** Height differences above this are in the hills, where the simple height rule is off. */
const MAX_HEIGHT_DIFFERENCE_M = 250;

/** Between two points further apart than this we do not interpolate. */
const MAX_GAP_MS = 3 * 3_600_000;

/** Sea water against fresh. Brackish water is taken in proportion. */
const SEA_DENSITY = 1.025;

/** No chamber of ours is deeper, and no true level is lower. */
const PLAUSIBLE_M: readonly [number, number] = [-0.15, 14];

/**
 * Stations fit for an outfall, best first. A kilometre counts as one, ten metres of height as
 * one as well: a barometer at the same height twenty kilometres off beats one on the hill above.
 */
export function rank(outfall: Outfall, stations: readonly Station[]): Station[] {
  const scored: { station: Station; score: number }[] = [];
  for (const station of stations) {
    const km = distanceKm(outfall.place, station.place);
    const height = Math.abs(outfall.altitudeM - station.altitudeM);
    if (km > MAX_DISTANCE_KM || height > MAX_HEIGHT_DIFFERENCE_M) continue;
    scored.push({ station, score: km + height / 10 });
  }
  scored.sort((a, b) => a.score - b.score || a.station.id.localeCompare(b.station.id));
  return scored.map((entry) => entry.station);
}

/** Air pressure at a moment by linear interpolation, or null across a gap or outside the series. */
export function pressureAt(series: readonly PressurePoint[], at: number): number | null {
  let low = 0;
  let high = series.length - 1;
  if (high < 0 || at < series[0].at || at > series[high].at) return null;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (series[middle].at <= at) low = middle;
    else high = middle;
  }
  const before = series[low];
  const after = series[high];
  if (before.at === at || low === high) return before.hPa;
  if (after.at - before.at > MAX_GAP_MS) return null;
  const share = (at - before.at) / (after.at - before.at);
  return before.hPa + share * (after.hPa - before.hPa);
}

/**
 * The corrected level, or why there is none. We withhold rather than pass on the raw value: an
 * operator who sees a corrected channel must be able to believe every point of it.
 */
export function correct(
  outfall: Outfall,
  rawM: number,
  at: number,
  tide: number, // 0 at low water, 1 at high water
  stations: readonly Station[],
  seriesOf: (station: string) => readonly PressurePoint[],
): Verdict {
  const candidates = rank(outfall, stations);
  if (candidates.length === 0) return { kind: "withheld", reason: "no-station" };

  // Two stations and no more: with the third we are guessing, and hide that the first two are down.
  for (const station of candidates.slice(0, 2)) {
    const hPa = pressureAt(seriesOf(station.id), at);
    if (hPa === null) continue;
    const local = hPa + (station.altitudeM - outfall.altitudeM) / METRES_OF_AIR_PER_HPA;
    const density = 1 + outfall.saltShare * tide * (SEA_DENSITY - 1);
    const levelM = (rawM - (local - FACTORY_HPA) * METRES_PER_HPA) / density;
    if (levelM < PLAUSIBLE_M[0] || levelM > PLAUSIBLE_M[1]) {
      return { kind: "withheld", reason: "implausible" };
    }
    // 4 mm for the probe, and a millimetre for each five kilometres to the station.
    const uncertaintyM = 0.004 + distanceKm(outfall.place, station.place) / 5_000;
    return { kind: "corrected", levelM, station: station.id, uncertaintyM };
  }
  return { kind: "withheld", reason: "gap" };
}

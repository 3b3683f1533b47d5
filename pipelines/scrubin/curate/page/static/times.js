// Frames and their times. A file's boundaries are the time of every frame, then the end of the last.

const SAME_S = 1e-6;

/** The times of the frames of one file. */
export class Times {
  constructor(buffer) {
    this.boundaries = new Float64Array(buffer);
    this.count = this.boundaries.length - 1;
  }

  /** When a frame appears, in source seconds. */
  start(frame) {
    return this.boundaries[frame];
  }

  /** When a frame disappears. */
  end(frame) {
    return this.boundaries[frame + 1];
  }

  /** The frame on screen at a time; the first or last one outside the file. */
  at(seconds) {
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.boundaries[middle] <= seconds + SAME_S) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The first frame that appears at a time or later; `count` when there is none. */
  from(seconds) {
    if (this.boundaries[0] >= seconds - SAME_S) return 0;
    const frame = this.at(seconds);
    return this.boundaries[frame] >= seconds - SAME_S ? frame : frame + 1;
  }
}

/** Seconds as people write them: 3:05.2, and 1:02:03.4 for long recordings. */
export function clock(seconds, digits = 1) {
  const unit = 10 ** digits;
  const total = Math.round(seconds * unit) / unit;
  const hours = Math.floor(total / 3600);
  const minutes = Math.floor((total % 3600) / 60);
  const rest = (total % 60).toFixed(digits).padStart(digits ? digits + 3 : 2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

/** A span of time as people say it: 45 s, 12 min, 3 h 20 min. */
export function lasting(seconds) {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Seconds of what somebody typed: 12.5, 3:20 or 1:02:03; NaN when it is no time. */
export function parsedTime(text) {
  if (!/^\d+(:\d{1,2}){0,2}(\.\d+)?$/.test(text.trim())) return NaN;
  return text
    .trim()
    .split(":")
    .reduce((total, part) => total * 60 + Number(part), 0);
}

const removed = '[removed]';
/** As much of the key says too much; providers show fewer characters of one, with stars between. */
const runLength = 12;

/** Keeps the operator's key from callers, whatever the provider says (contract §8). */
export class KeyGuard {
  /** The forms in which programs repeat it. */
  private readonly forms: string[];
  private readonly runs: string[];

  constructor(key: string | null | undefined) {
    const base64 = key ? Buffer.from(key).toString('base64').replace(/=+$/, '') : '';
    const forms = key ? [key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key), base64] : [];
    // The longest first: none is left in part.
    this.forms = [...new Set(forms)].sort((one, other) => other.length - one.length);
    this.runs = key ? runsOf(key.toLowerCase()) : [];
  }

  /** Whether a text contains the key, or much of it. */
  isTold(text: string): boolean {
    const lower = text.toLowerCase();
    return this.runs.some((run) => lower.includes(run)) || this.forms.some((form) => text.includes(form));
  }

  /** JSON text without the key. */
  cleared(json: string): string {
    return this.forms.reduce((text, form) => text.replaceAll(form, removed), json);
  }
}

/** All parts of the key of that length; a shorter key is one itself. */
function runsOf(key: string): string[] {
  if (key.length <= runLength) return [key];
  return Array.from({ length: key.length - runLength + 1 }, (_, at) => key.slice(at, at + runLength));
}

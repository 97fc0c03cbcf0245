const removed = '[removed]';
/** As much of the key says too much; providers show fewer characters of one, with stars between. */
const runLength = 12;

/** Keeps the operator's key from callers, whatever the provider says (contract §8). */
export class KeyGuard {
  /** The forms in which programs repeat it. */
  private readonly forms: string[];
  private readonly runs: string[];
  /** In lower case. */
  private readonly key: string;
  /** Finds where runs begin, also within each other; null: the key is too short to be told in part. */
  private readonly runStarts: RegExp | null;
  private readonly longest: number;

  constructor(key: string | null | undefined) {
    const base64 = key ? Buffer.from(key).toString('base64').replace(/=+$/, '') : '';
    const forms = key ? [key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key), base64] : [];
    // The longest first: none is left in part.
    this.forms = [...new Set(forms)].sort((one, other) => other.length - one.length);
    this.key = key?.toLowerCase() ?? '';
    this.runs = key ? runsOf(this.key) : [];
    const starts = `(?=${this.runs.map((run) => RegExp.escape(run)).join('|')})`;
    this.runStarts = this.key.length > runLength ? new RegExp(starts, 'giu') : null;
    this.longest = this.forms[0]?.length ?? 0;
  }

  /** Whether a text contains the key, or much of it. */
  isTold(text: string): boolean {
    const lower = text.toLowerCase();
    return this.runs.some((run) => lower.includes(run)) || this.forms.some((form) => text.includes(form));
  }

  /** A text, or JSON text, without the key, and without any long part of it. A short key is removed as it is written. */
  cleared(text: string): string {
    const without = this.forms.reduce((rest, form) => rest.replaceAll(form, removed), text);
    if (!this.runStarts || !this.isTold(without)) return without;
    const parts: string[] = [];
    let end = 0;
    for (const { index } of without.matchAll(this.runStarts)) {
      if (index >= end) parts.push(without.slice(end, index), removed);
      end = index + runLength;
    }
    return parts.join('') + without.slice(end);
  }

  /** How much of a text that goes on is certain: what follows may be the beginning of the key. */
  certainLength(text: string): number {
    const first = Math.max(0, text.length - this.longest);
    for (let at = first; at < text.length; at++) if (this.mayBegin(text.slice(at))) return at;
    return text.length;
  }

  private mayBegin(text: string): boolean {
    if (this.forms.some((form) => form.startsWith(text))) return true;
    return this.runStarts !== null && this.key.includes(text.toLowerCase());
  }
}

/** All parts of the key of that length; a shorter key is one itself. */
function runsOf(key: string): string[] {
  if (key.length <= runLength) return [key];
  return Array.from({ length: key.length - runLength + 1 }, (_, at) => key.slice(at, at + runLength));
}

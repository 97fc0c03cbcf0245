import { filterActions } from '../../contract/filter.ts';
import type { FilterEntry, FilterFacts } from './filter.table.ts';
import { hostsIn } from './links.ts';
import { type WordScan, Words } from './words.ts';

/** What was found in a text. */
export interface Finding {
  /** The strictest entry. */
  entry: FilterEntry | null;
  /** Whether it has a link that is not allowed. */
  hasLink: boolean;
}

const nothing: Finding = { entry: null, hasLink: false };

const strictness = ({ action }: FilterEntry) => filterActions.indexOf(action);

/** The stricter one; of two alike the first. */
function stricter(one: FilterEntry | null, other: FilterEntry | null): FilterEntry | null {
  if (!one || !other) return one ?? other;
  return strictness(other) < strictness(one) ? other : one;
}

const both = (one: Finding, other: Finding): Finding => ({
  entry: stricter(one.entry, other.entry),
  hasLink: one.hasLink || other.hasLink,
});

/** The filters of a server, ready to be applied (contract §6, Filters). */
export class ServerFilters {
  /** Links of those who joined less than so many hours ago are held; 0: they are not. */
  readonly hours: number;
  private readonly words: Words | null;
  private readonly byWord: FilterEntry[];
  private readonly hosts: Map<string, FilterEntry>;
  private readonly looksForLinks: boolean;

  private constructor(facts: FilterFacts, words: Words | null, byWord: FilterEntry[]) {
    this.hours = facts.hours;
    this.words = words;
    this.byWord = byWord;
    const links = facts.entries.filter(({ kind }) => kind === 'link');
    this.hosts = new Map(links.map((entry) => [entry.form, entry]));
    this.looksForLinks = this.hours > 0 || links.some(({ action }) => action !== 'allow');
  }

  static async of(facts: FilterFacts): Promise<ServerFilters> {
    const words = facts.entries
      .filter(({ kind, form }) => kind === 'word' && form !== '')
      .sort((a, b) => strictness(a) - strictness(b));
    const ready = words.length > 0 ? await Words.of(words.map(({ form }) => form)) : null;
    return new ServerFilters(facts, ready, words);
  }

  /** Whether there is nothing to look for. */
  get isEmpty(): boolean {
    return !this.words && !this.looksForLinks;
  }

  /** How much memory it takes, about, in bytes. */
  get size(): number {
    return 1000 + (this.words?.size ?? 0) + 500 * (this.byWord.length + this.hosts.size);
  }

  /** What is in some texts, each for itself. */
  find(texts: string[]): Finding {
    return texts.reduce((found, text) => both(found, this.findIn(text)), nothing);
  }

  /** Looks through a text that arrives in pieces. */
  scan(): FilterScan {
    return new FilterScan(this, this.words?.scan() ?? null);
  }

  /** The entry with this place among the words. */
  wordAt(index: number): FilterEntry | null {
    return this.byWord[index] ?? null;
  }

  /** What is in a text as far as links go. */
  findLinks(text: string): Finding {
    if (!this.looksForLinks) return nothing;
    let found = nothing;
    for (const { host, isLink } of hostsIn(text)) {
      const entry = this.entryFor(host) ?? (isLink ? (this.hosts.get('*') ?? null) : null);
      const isAllowed = entry?.action === 'allow';
      found = both(found, { entry: isAllowed ? null : entry, hasLink: isLink && !isAllowed });
    }
    return found;
  }

  private findIn(text: string): Finding {
    const scan = this.words?.scan();
    scan?.add(text);
    const word = scan ? this.wordAt(scan.foundAtEnd) : null;
    return both({ entry: word, hasLink: false }, this.findLinks(text));
  }

  /** The entry for a host, or for the nearest domain that it is in. */
  private entryFor(host: string): FilterEntry | null {
    for (let at = 0; ; ) {
      const entry = this.hosts.get(host.slice(at));
      if (entry) return entry;
      at = host.indexOf('.', at) + 1;
      if (at === 0) return null;
    }
  }
}

/** A text that arrives in pieces. Its last word, and a link at its end, may go on. */
export class FilterScan {
  private readonly filters: ServerFilters;
  private readonly words: WordScan | null;
  /** What follows the last white space: a link may be in it. */
  private rest = '';
  private before = nothing;

  constructor(filters: ServerFilters, words: WordScan | null) {
    this.filters = filters;
    this.words = words;
  }

  add(text: string): void {
    this.words?.add(text);
    const whole = this.rest + text;
    const end = /\s\S*$/.exec(whole)?.index ?? 0;
    this.before = both(this.before, this.filters.findLinks(whole.slice(0, end)));
    this.rest = whole.slice(end);
  }

  /** What is in the text so far, whatever follows. */
  get certain(): Finding {
    return both({ entry: this.filters.wordAt(this.words?.found ?? -1), hasLink: false }, this.before);
  }

  /** What is in it if it ends here. */
  get atEnd(): Finding {
    const word = { entry: this.filters.wordAt(this.words?.foundAtEnd ?? -1), hasLink: false };
    return both(both(word, this.before), this.filters.findLinks(this.rest));
  }
}

/** A value of a filter, and how it is shown. */
export interface Named {
  value: string;
  label: string;
}

/** What messages may have or be: `has:` and `is:` in the words of a search. */
const kinds = {
  has: ['file', 'image', 'link', 'reaction', 'pin'],
  is: ['thread', 'bot'],
} as const;
export type Kind = (typeof kinds)['has' | 'is'][number];
export const kindsOf: readonly Kind[] = [...kinds.has, ...kinds.is];

/** What narrows a search. */
export interface Filters {
  /** The author; a username or an id. */
  from: Named | null;
  /** Someone who is mentioned. */
  mentions: Named | null;
  /** A channel; null: all of the server, or of all servers. */
  in: (Named & { isId: boolean }) | null;
  kinds: readonly Kind[];
  /** Days. */
  after: string | null;
  before: string | null;
}

/** What someone looks for, and where. */
export interface Asked {
  words: string;
  /** Null: everywhere. */
  serverId: string | null;
  filters: Filters;
  sort: 'time' | 'fit';
}

export const noFilters: Filters = { from: null, mentions: null, in: null, kinds: [], after: null, before: null };

/** Whether something narrows a search, besides the place. */
export const isNarrowed = ({ from, mentions, kinds: some, after, before }: Filters): boolean =>
  [from, mentions, after, before].some((one) => one !== null) || some.length > 0;

/** Nobody wants all messages. */
export const isAsked = ({ words, filters }: Asked): boolean => words !== '' || isNarrowed(filters);

const operator = /(^|\s)(from|mentions|in|has|is|before|after):(?:"([^"]+)"|([^\s"]+))(?=\s|$)/gi;
const day = /^\d{4}-\d{2}-\d{2}$/;

/** Takes operators out of the words of a search, for filters that are shown beside them. The others stay. */
export function withoutOperators(asked: Asked): Asked {
  let { filters } = asked;
  const words = asked.words.replace(operator, (whole, space: string, name: string, phrase?: string, plain?: string) => {
    const changed = withFilter(filters, name.toLowerCase(), phrase ?? plain ?? '');
    if (!changed) return whole;
    filters = changed;
    return space;
  });
  return { ...asked, words: words.replace(/\s+/g, ' ').trim(), filters };
}

/** @returns null: it is no filter that can be shown, such as a second author */
function withFilter(filters: Filters, name: string, value: string): Filters | null {
  if (name === 'from' || name === 'mentions') return filters[name] ? null : { ...filters, [name]: personOf(value) };
  if (name === 'in') return filters.in ? null : { ...filters, in: channelOf(value) };
  if (name === 'after' || name === 'before') {
    return filters[name] || !day.test(value) ? null : { ...filters, [name]: value };
  }
  const kind = kindsOf.find((one) => one === value.toLowerCase());
  if (!kind || (name === 'has') !== isHad(kind)) return null;
  return { ...filters, kinds: [...filters.kinds.filter((one) => one !== kind), kind] };
}

function personOf(value: string): Named {
  const name = value.replace(/^@/, '');
  return { value: name, label: name === 'me' ? name : `@${name}` };
}

const channelOf = (value: string) => ({
  value: value.replace(/^#/, ''),
  label: /^[#@]/.test(value) ? value : `#${value}`,
  isId: false,
});

const isHad = (kind: Kind): boolean => kinds.has.some((one) => one === kind);

/** The parameters of a search. */
export function queryOf({ words, serverId, filters, sort }: Asked) {
  const { from, mentions, in: place, kinds: some, after, before } = filters;
  const listed = <T extends Kind>(all: readonly T[]) => {
    const chosen = all.filter((kind) => some.includes(kind));
    return chosen.length > 0 ? chosen : undefined;
  };
  return {
    query: words || undefined,
    from: from?.value,
    mentions: mentions?.value,
    // A channel says by itself which server it is of.
    serverId: (place?.isId ? null : serverId) ?? undefined,
    channelId: place?.isId ? place.value : undefined,
    in: place && !place.isId ? place.value : undefined,
    has: listed(kinds.has),
    is: listed(kinds.is),
    after: after ?? undefined,
    before: before ?? undefined,
    sort,
  };
}

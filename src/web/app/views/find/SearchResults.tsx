import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RestAnswer } from '../../../../client/index.ts';
import { type Asked, isAsked, isNarrowed, noFilters, queryOf, withoutOperators } from '../../state/search-terms.ts';
import { errorText } from '../../state/toasts.ts';
import { Button } from '../parts/Button.tsx';
import { Found, type FoundMessage } from '../talk/Found.tsx';
import { mostShown, Overview } from '../talk/Overview.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { askedIn } from './asked.ts';
import { Filters } from './Filters.tsx';
import { useMarkedHit } from './useMarkedHit.ts';

/** The page size. */
const pageSize = 25;

interface ResultsProps {
  /** Where words are typed. */
  field: RefObject<HTMLInputElement | null>;
  /** The id of what describes the field. */
  hint: string;
}

/** What narrows the search, and what it has found. */
export function SearchResults({ field, hint }: ResultsProps) {
  const { t } = useTexts();
  const app = useApp();
  const { panel } = app;
  const asked = useAsked(field);
  const { list, overview, error, hasMore, more } = useSearch(asked);
  const [shown, setShown] = useState<FoundMessage | null>(null);
  useMarkedHit(shown);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const results = box.current;
    results?.addEventListener('keydown', walk);
    return () => results?.removeEventListener('keydown', walk);
  }, []);
  const change = (to: Partial<Asked>) => {
    panel.asked.value = { ...asked, words: field.current?.value.trim() ?? asked.words, ...to };
  };
  const giveWay = () => {
    if (!app.surroundings.isRoomy()) panel.giveWay();
  };
  const isNothing = isAsked(asked) && list?.length === 0 && !error;
  const isUnbounded = asked.serverId === null && !asked.filters.in && !isNarrowed(asked.filters);
  return (
    <div class="results" ref={box}>
      <Filters asked={asked} onChange={change} />
      <p class="hint" id={hint} hidden={isAsked(asked)}>
        {t(
          'You can also use “a phrase”, -without, from:name, in:channel, mentions:me, has:file, is:thread, before:2026-01-31.',
        )}
      </p>
      {overview && <Overview key={overview.words} {...overview} onClose={giveWay} />}
      {isAsked(asked) && (
        <Found
          byTime={asked.sort === 'time'}
          list={list}
          error={error}
          nothing={
            asked.words ? t('Nothing was found for “{words}”.', { words: asked.words }) : t('Nothing was found.')
          }
          current={shown?.id}
          onMore={hasMore ? more : undefined}
          onOpen={(message) => {
            setShown('excerpt' in message ? message : null);
            giveWay();
          }}
        />
      )}
      {isNothing && !isUnbounded && (
        <Button
          label={t('Search everywhere, without filters')}
          kind="quiet"
          onClick={() => change({ serverId: null, filters: noFilters })}
        />
      )}
    </div>
  );
}

/** What is looked for, with operators among the words made filters; the field shows the words that are left. */
function useAsked(field: RefObject<HTMLInputElement | null>): Asked {
  const app = useApp();
  const { panel } = app;
  const given = panel.asked.value;
  useLayoutEffect(() => {
    if (!given) return;
    const plain = withoutOperators(given);
    if (plain.words !== given.words) panel.asked.value = plain;
    if (field.current) field.current.value = plain.words;
  }, [given]);
  return withoutOperators(askedIn(app));
}

/** What else was found, and by which words where. */
interface Survey {
  found: RestAnswer<'GET /api/search'>;
  words: string;
  serverId: string | undefined;
}

/** The results of a search so far. */
function useSearch(asked: Asked) {
  const texts = useTexts();
  const { client, attempt, surroundings, panel } = useApp();
  /** Null: they are on their way. */
  const [list, setList] = useState<FoundMessage[] | null>([]);
  const [overview, setOverview] = useState<Survey | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [hasMore, setHasMore] = useState(false);
  const key = JSON.stringify(asked);
  const latest = useRef(key);
  const read = async (before: FoundMessage[]) => {
    const cursor = asked.sort === 'fit' && before.length > 0 ? String(before.length) : before.at(-1)?.id;
    const query = { ...queryOf(asked), limit: pageSize, cursor, timeZone: surroundings.timeZone };
    const found = await client.rest('GET /api/search/messages', { query });
    // Another search may have started meanwhile.
    if (latest.current !== key) return;
    setList([...before, ...found]);
    setHasMore(found.length === pageSize);
  };
  /** People, channels and files, where nothing but words says what is meant. */
  const survey = async () => {
    const { words, filters } = asked;
    const serverId = asked.serverId ?? undefined;
    const plain = words.replace(/(^|\s)-?(from|in|mentions|has|is|before|after|on):\S+/gi, ' ').trim();
    if (!plain || filters.in || isNarrowed(filters)) return;
    const found = await client.rest('GET /api/search', { query: { query: plain, serverId, limit: mostShown } });
    if (latest.current === key) setOverview({ found, words: plain, serverId });
  };
  const given = panel.asked.value;
  useEffect(() => {
    // What was typed is about to be changed to this.
    if (given && given.words !== asked.words) return;
    latest.current = key;
    setOverview(null);
    setError(null);
    setHasMore(false);
    if (!isAsked(asked)) return setList([]);
    setList(null);
    Promise.all([read([]), survey()]).catch((reason) => latest.current === key && setError(errorText(reason, texts)));
  }, [key, given]);
  const more = () => attempt(() => read(list ?? []));
  return { list, overview, error, hasMore, more };
}

/** Arrow keys lead from one result to the next. */
function walk(event: KeyboardEvent): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  const { target, currentTarget } = event;
  if (step === 0 || event.defaultPrevented) return;
  if (!(target instanceof HTMLElement) || !(currentTarget instanceof HTMLElement)) return;
  const all = [...currentTarget.querySelectorAll<HTMLElement>('.found > li > :is(a, button)')];
  const at = all.indexOf(target);
  if (at < 0) return;
  event.preventDefault();
  all[at + step]?.focus();
}

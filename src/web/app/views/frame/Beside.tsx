import { useEffect, useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { isComposing } from '../../state/keyboard.ts';
import type { PanelKind } from '../../state/side-panel.ts';
import { askedIn } from '../find/asked.ts';
import { IconButton } from '../parts/Button.tsx';
import { Icon } from '../parts/Icon.tsx';
import { lazyPage } from '../parts/lazy.tsx';
import { useApp, useTexts } from '../useApp.ts';

const SearchResults = lazyPage(() => import('../find/SearchResults.tsx').then((part) => part.SearchResults));
const MembersBeside = lazyPage(() => import('../find/MembersBeside.tsx').then((part) => part.MembersBeside));

/** What is shown beside the page; null: nothing. Members are shown beside what has some. */
export function usePanel(): PanelKind | null {
  const { panel, route, people, servers } = useApp();
  const kind = panel.kind.value;
  const here = route.value;
  if (kind !== 'members') return kind;
  if (here.name === 'channel') return servers.current.value ? kind : null;
  const isGroup = here.name === 'dm' && people.dms.value.some((dm) => dm.id === here.channelId && dm.kind === 'group');
  return isGroup ? kind : null;
}

/** The panel beside the page; where there is no room for both, in its place. It stays when one goes elsewhere. */
export function Beside({ kind }: { kind: PanelKind }) {
  const { t } = useTexts();
  const { panel } = useApp();
  const title = kind === 'search' ? t('Search') : t('Members');
  useFocusBack([kind, panel.turn.value]);
  useGivingWay();
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || isComposing(event)) return;
    // The browser would only clear the field.
    event.preventDefault();
    panel.close();
  };
  return (
    <section class="aside" aria-label={title} onKeyDown={press}>
      <header class="bar">
        <h2 class="title">
          <Icon name={kind === 'search' ? 'search' : 'friends'} />
          <span class="name">{title}</span>
        </h2>
        <span class="space" />
        <IconButton icon="close" label={t('Close')} onClick={() => panel.close()} />
      </header>
      {kind === 'search' ? <Search /> : <MembersBeside />}
    </section>
  );
}

/** Gives way to the next page where there is no room for both. */
function useGivingWay(): void {
  const { panel, route, surroundings } = useApp();
  const here = route.value;
  const place = 'channelId' in here ? here.channelId : here.name;
  const first = useRef(place);
  useEffect(() => {
    if (place !== first.current && !surroundings.isRoomy()) panel.giveWay();
  }, [place]);
}

/** Gives the focus back at the end to where it was, if it is lost otherwise. */
function useFocusBack(on: readonly unknown[]): void {
  const before = useRef<Element | null>(null);
  // While this is rendered, since a field in it takes the focus then.
  useMemo(() => {
    const { activeElement } = document;
    if (!activeElement?.closest('.beside')) before.current = activeElement;
  }, on);
  useEffect(
    () => () => {
      if (document.activeElement === document.body && before.current instanceof HTMLElement) before.current.focus();
    },
    [],
  );
}

/** The field is there at once, for whoever opens it and types; all else is loaded. */
function Search() {
  const { t } = useTexts();
  const app = useApp();
  const { panel } = app;
  const field = useRef<HTMLInputElement>(null);
  const hint = useId();
  // In a layout effect, to be ready for the next key.
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, [panel.turn.value]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    panel.asked.value = { ...askedIn(app), words: field.current?.value.trim() ?? '' };
  };
  return (
    <>
      <form class="inline seeking" onSubmit={submit}>
        <input
          ref={field}
          type="search"
          name="query"
          aria-label={t('Words to look for')}
          aria-describedby={hint}
          maxLength={256}
          defaultValue={panel.asked.peek()?.words}
        />
        <button type="submit" class="button">
          {t('Search')}
        </button>
      </form>
      <SearchResults field={field} hint={hint} />
    </>
  );
}

import { nameOf } from '../../state/groups.ts';
import { type Asked, noFilters } from '../../state/search-terms.ts';
import type { AppState } from '../useApp.ts';

/** What is looked for; nothing yet, in the place that is shown. */
export function askedIn(app: AppState): Asked {
  const { panel, servers, people, me, route, texts } = app;
  const here = route.value;
  const start = { words: '', serverId: servers.current.value?.id ?? null, filters: noFilters, sort: 'time' as const };
  const dm = here.name === 'dm' && people.dms.value.find(({ id }) => id === here.channelId);
  const place = dm ? { value: dm.id, label: nameOf(texts.value, dm, me.value?.id), isId: true } : null;
  return panel.asked.value ?? { ...start, filters: { ...noFilters, in: place } };
}

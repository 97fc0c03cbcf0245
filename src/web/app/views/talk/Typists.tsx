import { useApp, useTexts } from '../useApp.ts';

/** How many activities there is room for. */
const maxShown = 3;

/** It is always there, so that nothing moves. */
export function Typists({ channelId, threadId }: { channelId: string; threadId: string | null }) {
  const { listed, t } = useTexts();
  const { typists, activities } = useApp();
  const here = (typists.byChannel.value.get(channelId) ?? []).filter((typist) => typist.threadId === threadId);
  const names = here.map(({ name }) => name);
  const list = listed(names);
  const several = names.length < 4 ? t('{names} are typing…', { names: list }) : t('Several people are typing…');
  const typing = names.length === 0 ? [] : [names.length === 1 ? t('{name} is typing…', { name: list }) : several];
  const doing = threadId === null ? (activities.byChannel.value.get(channelId) ?? []) : [];
  const shown = doing.slice(0, maxShown).map(({ name, activity }) => `${name}: ${activity}`);
  return <p class="typists">{[...typing, ...shown].join(' · ')}</p>;
}

import type { Message } from '../../../../client/index.ts';
import type { Timeline } from '../../state/timeline.ts';
import { useApp, useTexts } from '../useApp.ts';

interface ReadByProps {
  message: Message;
  after: Message | undefined;
  timeline: Timeline;
}

/** How many are named. */
const most = 5;

/** Who has read up to a message and not further, as far as they show it. */
export function ReadBy({ message, after, timeline }: ReadByProps) {
  const { listed, t } = useTexts();
  const { receipts } = useApp();
  const { channelId, threadId } = timeline;
  if (threadId !== null || (!after && timeline.hasNewer.value)) return null;
  const isHere = (seq: number) => seq >= message.seq && (!after || seq < after.seq);
  const here = [...receipts.of(channelId)].filter(([id, seq]) => isHere(seq) && id !== message.authorId);
  const names = here.flatMap(([id]) => receipts.nameOf(id) ?? timeline.authors.value.get(id) ?? []);
  if (names.length === 0) return null;
  const others = names.length > most ? [t('{count} more', { count: names.length - most })] : [];
  return <p class="read-by">{t('Read by {names}', { names: listed([...names.slice(0, most), ...others]) })}</p>;
}

import type { ChannelRecord } from '../../../../client/index.ts';
import { keepingText } from '../../state/retention.ts';
import { useApp, useTexts } from '../useApp.ts';

/** A line where people write: how long what they write is kept, and who sees what they change. */
export function KeepingNote({ channel }: { channel: ChannelRecord | null }) {
  const texts = useTexts();
  const { servers } = useApp();
  const text = keepingText(texts, servers.current.value, channel);
  return text && <p class="keeping">{text}</p>;
}

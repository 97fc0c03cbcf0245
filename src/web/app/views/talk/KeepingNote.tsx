import type { ChannelRecord } from '../../../../client/index.ts';
import { keepingText } from '../../state/retention.ts';
import { useApp } from '../useApp.ts';

/** A line where people write: how long what they write is kept, and who sees what they change. */
export function KeepingNote({ channel }: { channel: ChannelRecord | null }) {
  const { servers } = useApp();
  const text = keepingText(servers.current.value, channel);
  return text && <p class="keeping">{text}</p>;
}

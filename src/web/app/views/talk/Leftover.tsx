import { useEffect, useState } from 'preact/hooks';
import { draftOf, followDraft } from '../../state/drafts.ts';
import { discardUnsent, moveToChannel } from '../../state/leftovers.ts';
import { filesFor } from '../../state/outgoing-files.ts';
import { go, pathTo } from '../../state/router.ts';
import { currentServer } from '../../state/servers.ts';
import type { Timeline } from '../../state/timeline.ts';
import { copy } from '../../state/toasts.ts';
import { Button } from '../parts/Button.tsx';
import { Icon } from '../parts/Icon.tsx';
import { RefusedMessage } from './Unsent.tsx';

/** In the place of a thread that was deleted. */
export function GoneThread({ timeline }: { timeline: Timeline }) {
  return (
    <div class="lost">
      <p role="status">This thread is not here. It was deleted.</p>
      <Leftover timeline={timeline} canMove />
      {timeline.sending.refused.value.map((one) => (
        <RefusedMessage key={one.pending.nonce} refused={one} />
      ))}
    </div>
  );
}

interface LeftoverProps {
  timeline: Timeline;
  /** Whether its channel may still be written in. */
  canMove?: boolean;
}

/** What someone was writing where nothing can be sent any more: they get it back. */
export function Leftover({ timeline: { key, channelId }, canMove = false }: LeftoverProps) {
  const [text, setText] = useState(() => draftOf(key));
  useEffect(() => followDraft(key, setText), [key]);
  const { files } = filesFor(key);
  if (text === '' && files.length === 0) return null;
  const move = () => {
    moveToChannel(key, channelId);
    go(pathTo.channel(currentServer.value?.id ?? null, channelId));
    // On a phone the channel is to come into view first.
    requestAnimationFrame(() => document.getElementById('composer')?.focus());
  };
  return (
    <section class="leftover" aria-label="What you were writing">
      <h3>What you were writing</h3>
      {text !== '' && <div class="text">{text}</div>}
      {files.map(({ id, filename }) => (
        <div key={id} class="file">
          <Icon name="file" /> <span class="name">{filename}</span>
        </div>
      ))}
      <footer>
        {canMove && <Button label="Move it to the channel" onClick={move} />}
        {/* Only secure pages have a clipboard. */}
        {navigator.clipboard && text !== '' && <Button label="Copy" kind="quiet" onClick={() => void copy(text)} />}
        <Button label="Discard" kind="quiet" onClick={() => discardUnsent(key)} />
      </footer>
    </section>
  );
}

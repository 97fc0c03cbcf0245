import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Message } from '../../../../client/index.ts';
import { useApp, useTexts } from '../useApp.ts';

/** What someone wrote whom the user has blocked is folded, until the user wants to see it. */
export function Veil({ message, children }: { message: Message; children: ComponentChildren }) {
  const { t } = useTexts();
  const { people } = useApp();
  const [isOpen, setOpen] = useState(false);
  const isBlocked = people.blocks.value.some(({ userId }) => userId === message.authorId);
  if (!isBlocked || isOpen) return <>{children}</>;
  return (
    <p class="faint">
      {t('You have blocked this person.')}{' '}
      <button type="button" class="link" onClick={() => setOpen(true)}>
        {t('Show the message')}
      </button>
    </p>
  );
}

import { pathTo } from '../../state/router.ts';
import { Icon } from '../parts/Icon.tsx';
import { useApp, useTexts } from '../useApp.ts';

/** Says above a message that the user saved it for later, and when they will be reminded. */
export function SavedMark({ messageId }: { messageId: string }) {
  const { shortTime, t } = useTexts();
  const { saved } = useApp();
  const item = saved.of(messageId);
  if (!item) return null;
  return (
    <a class="saved-mark" href={pathTo.later('saved')}>
      <Icon name="bookmark" />{' '}
      {item.remindAt
        ? t('Saved for later, with a reminder {time}', { time: shortTime(item.remindAt) })
        : t('Saved for later')}
    </a>
  );
}

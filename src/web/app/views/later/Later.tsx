import { useEffect, useState } from 'preact/hooks';
import type { RestAnswer } from '../../../../client/index.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import { type LaterSection, pathTo } from '../../state/router.ts';
import { Button, IconButton } from '../parts/Button.tsx';
import { Empty } from '../parts/Empty.tsx';
import type { IconName } from '../parts/Icon.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Page, Row } from '../parts/Page.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { RemindDialog } from './RemindDialog.tsx';
import { SavedList } from './SavedList.tsx';
import { ScheduledList } from './ScheduledList.tsx';

const sections: { section: LaterSection; label: Message; icon: IconName }[] = [
  { section: 'saved', label: 'Saved', icon: 'bookmark' },
  { section: 'done', label: 'Done', icon: 'check' },
  { section: 'scheduled', label: 'Scheduled', icon: 'clock' },
  { section: 'drafts', label: 'Drafts', icon: 'edit' },
];

/** What the user has put off: saved messages and reminders, scheduled messages, and drafts. */
export function Later({ section }: { section: LaterSection }) {
  const { t } = useTexts();
  const [reminding, setReminding] = useState(false);
  const tabs = sections.map(({ section: one, label, icon }) => ({
    href: pathTo.later(one),
    label: t(label),
    icon,
    current: one === section,
  }));
  return (
    <Page
      title={t('Later')}
      back="/app/messages"
      tabs={tabs}
      actions={<IconButton icon="add" label={t('New reminder')} onClick={() => setReminding(true)} />}
    >
      {section === 'scheduled' && <ScheduledList />}
      {section === 'drafts' && <DraftList />}
      {(section === 'saved' || section === 'done') && <SavedList key={section} isDone={section === 'done'} />}
      {reminding && <RemindDialog onClose={() => setReminding(false)} />}
    </Page>
  );
}

type Draft = RestAnswer<'GET /api/drafts'>[number];

function DraftList() {
  const { t } = useTexts();
  const { client, drafts, attempt } = useApp();
  const { value: list, load } = useLoaded(() => client.rest('GET /api/drafts'), []);
  useEffect(() => client.on('draft:updated', () => void attempt(load)), []);
  const discard = ({ channelId, threadId, revision }: Draft) =>
    attempt(async () => {
      const query = { revision, ...(threadId ? { threadId } : {}) };
      await client.rest('DELETE /api/channels/:channelId/draft', { channelId, query });
      drafts.discard(threadId ?? channelId);
      await load();
    });
  return (
    <>
      {list?.length === 0 && (
        <Empty
          icon="edit"
          title={t('No drafts')}
          about={t('Messages that you begin and do not send are kept here, on all your devices.')}
        />
      )}
      <ul class="people">
        {list?.map((draft) => (
          <DraftRow key={draft.revision} draft={draft} onDiscard={() => void discard(draft)} />
        ))}
      </ul>
    </>
  );
}

function DraftRow({ draft, onDiscard }: { draft: Draft; onDiscard(): void }) {
  const { shortTime, t } = useTexts();
  const { destinations } = useApp();
  const there = destinations.value.find(({ channelId }) => channelId === draft.channelId);
  const place = there?.name ?? t('a conversation');
  const name = draft.threadId ? t('A thread in {place}', { place }) : place;
  const href = there && (draft.threadId ? `${there.href}/thread/${draft.threadId}` : there.href);
  const count = draft.attachments.length;
  const about = (
    <>
      {draft.replyToId && `${t('Reply:')} `}
      <span class="excerpt">{draft.content || draft.attachments.map(({ filename }) => filename).join(', ')}</span>{' '}
      {draft.content && count > 0 && `${t('{count, plural, one {# file} other {# files}}', { count })} · `}
      {shortTime(draft.updatedAt)}
    </>
  );
  return (
    <Row name={name} about={about} {...(href ? { href } : {})}>
      <Button label={t('Discard')} kind="quiet" onClick={onDiscard} />
    </Row>
  );
}

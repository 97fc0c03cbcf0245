import type { ComponentChildren } from 'preact';
import type { RestAnswer } from '../../../../client/index.ts';
import { pathTo } from '../../state/router.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Icon } from '../parts/Icon.tsx';
import { useApp, useTexts } from '../useApp.ts';

interface OverviewProps {
  found: RestAnswer<'GET /api/search'>;
  onClose(): void;
}

/** People, channels and files that a search found, each kind under its name. */
export function Overview({ found: { people, channels, files }, onClose }: OverviewProps) {
  const { shortTime, t } = useTexts();
  const app = useApp();
  const talkTo = (userId: string) => {
    onClose();
    void app.attempt(() => app.people.talkTo(userId));
  };
  return (
    <>
      <Section title={t('People')} count={people.length}>
        {people.map((user) => (
          <li key={user.id}>
            <button type="button" class="quoted" onClick={() => talkTo(user.id)}>
              <Avatar user={user} size="small" />
              <span class="who">
                {user.displayName} <span class="faint">@{user.username}</span>
              </span>
            </button>
          </li>
        ))}
      </Section>
      <Section title={t('Channels')} count={channels.length}>
        {channels.map(({ id, serverId, name }) => (
          <li key={id}>
            <a class="quoted" href={pathTo.channel(serverId, id)} onClick={onClose}>
              <span class="who">#{name}</span>
            </a>
          </li>
        ))}
      </Section>
      <Section title={t('Files')} count={files.length}>
        {files.map((file) => (
          <li key={file.id}>
            <a
              class="quoted"
              href={pathTo.messageOrThread(app.servers.current.value?.id ?? null, { ...file, id: file.messageId })}
              onClick={onClose}
            >
              <Icon name="file" />
              <span class="who">
                {file.isSpoiler ? 'Spoiler: a file' : file.filename}{' '}
                <span class="faint">
                  {file.author.displayName}, {shortTime(file.sentAt)}
                </span>
              </span>
            </a>
          </li>
        ))}
      </Section>
    </>
  );
}

function Section({ title, count, children }: { title: string; count: number; children: ComponentChildren }) {
  if (count === 0) return null;
  return (
    <section class="kinds">
      <h3>{title}</h3>
      <ul class="found">{children}</ul>
    </section>
  );
}

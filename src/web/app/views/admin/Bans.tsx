import type { RestAnswer } from '../../../../client/index.ts';
import type { Texts } from '../../state/texts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button, More } from '../parts/Button.tsx';
import { usePages } from '../parts/loading.ts';
import { Block, Row } from '../parts/Page.tsx';
import { useApp, useTexts } from '../useApp.ts';

type Ban = RestAnswer<'GET /api/operator/bans'>[number];
const pageSize = 100;

/** Who is banned from the installation. */
export function Bans() {
  const texts = useTexts();
  const { t } = texts;
  const { client, attempt } = useApp();
  const { list, load, onMore } = usePages<Ban>(
    pageSize,
    (known) => client.rest('GET /api/operator/bans', { query: { cursor: known.at(-1)?.id } }),
    [],
  );
  const lift = (id: string) => attempt(() => client.rest('DELETE /api/operator/bans/:id', { id }).then(load));
  return (
    <Block
      title={t('Bans')}
      about={t('People who are banned from this installation. They cannot make a new account with the same mailbox.')}
    >
      {list?.length === 0 && <p class="empty">{t('Nobody is banned.')}</p>}
      <ul class="people">
        {list?.map((ban) => (
          <Row
            key={ban.id}
            picture={<Avatar user={ban.user} />}
            name={ban.user.displayName}
            about={banText(texts, ban)}
          >
            <Button label={t('Lift the ban')} kind="quiet" onClick={() => void lift(ban.userId)} />
          </Row>
        ))}
      </ul>
      {onMore && <More onMore={onMore} />}
    </Block>
  );
}

function banText({ shortTime, t }: Texts, { reason, createdAt, bannedBy, until }: Ban): string {
  const time = shortTime(createdAt);
  const when = bannedBy ? t('{time} by {name}', { time, name: bannedBy.displayName }) : time;
  return [reason, when, until && t('until {time}', { time: shortTime(until) })].filter(Boolean).join(' · ');
}

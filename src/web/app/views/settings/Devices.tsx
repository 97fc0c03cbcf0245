import type { RestAnswer } from '../../../../client/index.ts';
import { parley } from '../../state/client.ts';
import { Button } from '../parts/Button.tsx';
import { Icon } from '../parts/Icon.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block } from '../parts/Page.tsx';
import { Row } from '../parts/Row.tsx';
import { shortTime } from '../parts/time.ts';

type SessionRecord = RestAnswer<'GET /api/auth/sessions'>[number];

/** Where one is signed in. */
export function Devices() {
  const { value: list, after } = useLoaded(() => parley.rest('GET /api/auth/sessions'), []);
  const others = list?.filter(({ current }) => !current) ?? [];
  const end = (sessions: SessionRecord[]) =>
    after(async () => {
      for (const { id } of sessions) await parley.rest('DELETE /api/auth/sessions/:id', { id });
    });
  return (
    <Block title="Where you are signed in" about="A session that you end is over at once, wherever it is.">
      <ul class="people">
        {list?.map((session) => (
          <Row
            key={session.id}
            picture={<Icon name="device" />}
            name={session.deviceName ?? session.userAgent ?? 'Unknown device'}
            about={aboutSession(session)}
          >
            {session.current ? (
              <span class="tag">This device</span>
            ) : (
              <Button label="End" kind="quiet" onClick={() => end([session])} />
            )}
          </Row>
        ))}
      </ul>
      {others.length > 1 && <Button label="End all others" kind="danger" onClick={() => end(others)} />}
    </Block>
  );
}

function aboutSession({ ipAddress, lastSeenAt, createdAt }: SessionRecord): string {
  const since = `signed in ${shortTime(createdAt)}, last seen ${shortTime(lastSeenAt)}`;
  return ipAddress ? `${ipAddress} · ${since}` : since;
}

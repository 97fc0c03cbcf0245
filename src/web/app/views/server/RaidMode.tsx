import { useState } from 'preact/hooks';
import type { ServerRecord } from '../../../../client/index.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import type { Texts } from '../../state/texts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button } from '../parts/Button.tsx';
import { Confirm } from '../parts/Dialog.tsx';
import { Field, Select } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { Block, Row } from '../parts/Page.tsx';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import { type Raid, switchTo, useRaid } from './RaidBanner.tsx';

/** Raid mode in the settings: the switch, who got in, and when it turns on by itself. */
export function RaidMode({ server }: { server: ServerRecord }) {
  const texts = useTexts();
  const { t } = texts;
  const app = useApp();
  const { raid, after } = useRaid(server.id);
  if (!raid) return null;
  const flip = () => after(() => switchTo(app, server.id, !raid.isOn));
  return (
    <>
      <Block title={t('Raid mode')} about={t('While it is on, new members wait until a moderator lets them in.')}>
        <p role="status">{stateOf(texts, raid)}</p>
        <Button label={raid.isOn ? t('Switch raid mode off') : t('Switch raid mode on')} kind="quiet" onClick={flip} />
        {raid.members.length > 0 && app.rights.may(server, 'member:kick') && (
          <LetIn
            raid={raid}
            onRemove={(userId) => after(() => remove(app, server.id, [userId]))}
            onRemoveAll={() => after(() => removeAll(texts, app, server.id))}
          />
        )}
      </Block>
      {app.rights.may(server, 'server:update') && (
        <RaidSettings key={raid.mode} server={server} raid={raid} after={after} />
      )}
    </>
  );
}

function stateOf({ shortTime, t }: Texts, { isOn, mode, until }: Raid): string {
  if (!isOn) return mode === 'auto' ? t('It is off, and turns on when too many join at once.') : t('It is off.');
  if (until === null) return t('It is on until someone switches it off.');
  return t('It is on until {time}, or longer if more join.', { time: shortTime(until) });
}

interface LetInProps {
  raid: Raid;
  onRemove(userId: string): void;
  onRemoveAll(): void;
}

function LetIn({ raid, onRemove, onRemoveAll }: LetInProps) {
  const { shortTime, t } = useTexts();
  const [asking, setAsking] = useState(false);
  return (
    <>
      <h3>{t('Who just got in')}</h3>
      <Button label={t('Remove all of them')} kind="danger" onClick={() => setAsking(true)} />
      {asking && (
        <Confirm
          title={t('Remove everyone who just got in?')}
          text={t('They lose the server at once. With an invitation they can come back, if a moderator lets them in.')}
          action={t('Remove all')}
          onClose={() => setAsking(false)}
          onConfirm={onRemoveAll}
        />
      )}
      <ul class="people">
        {raid.members.map(({ userId, user, joinedAt }) => (
          <Row
            key={userId}
            picture={<Avatar user={user} />}
            name={user.displayName}
            about={t('@{username}, joined {time}', { username: user.username, time: shortTime(joinedAt) })}
          >
            <Button label={t('Remove')} kind="quiet" onClick={() => onRemove(userId)} />
          </Row>
        ))}
      </ul>
    </>
  );
}

async function remove({ client, showToast }: AppState, id: string, userIds: string[]): Promise<void> {
  const { failed } = await client.rest('POST /api/servers/:id/raid/remove', { id, body: { userIds } });
  const [first] = failed;
  if (first) showToast(first.error);
}

/** In steps, until nobody is left who can be removed. */
async function removeAll({ t }: Texts, { client, showToast }: AppState, id: string): Promise<void> {
  let count = 0;
  for (;;) {
    const { removed, failed, hasMore } = await client.rest('POST /api/servers/:id/raid/remove', {
      id,
      body: { all: true },
    });
    count += removed.length;
    if (hasMore && removed.length > 0) continue;
    const [first] = failed;
    if (first) return showToast(first.error);
    break;
  }
  showToast(t('{count, plural, =1 {One person was} one {# person was} other {# people were}} removed.', { count }));
}

interface RaidSettingsProps {
  server: ServerRecord;
  raid: Raid;
  after(change: () => Promise<unknown>): void;
}

const modes: readonly { value: Raid['mode']; label: Message }[] = [
  { value: 'off', label: 'Never' },
  { value: 'auto', label: 'When too many join at once' },
  { value: 'on', label: 'Now, until it is switched off' },
];

function RaidSettings({ server, raid, after }: RaidSettingsProps) {
  const { labelled, t } = useTexts();
  const { client, showToast } = useApp();
  const save = async ({ text }: Fields) => {
    const mode = modes.find(({ value }) => value === text('mode'))?.value;
    const [joins, seconds, minutes] = [Number(text('joins')), Number(text('seconds')), Number(text('minutes'))];
    const body = { raid: { mode, joins, seconds, minutes } };
    await client.rest('PATCH /api/servers/:id', { id: server.id, body });
    after(async () => {});
    showToast(t('Raid mode is saved.'));
  };
  return (
    <Form class="block" action={t('Save')} work={save}>
      <h3>{t('When raid mode turns on')}</h3>
      <Select label={t('Turn it on')} name="mode" value={raid.mode} options={labelled(modes)} />
      <Field label={t('More joins than this')} name="joins" inputmode="numeric" value={String(raid.joins)} required />
      <Field label={t('Within (seconds)')} name="seconds" inputmode="numeric" value={String(raid.seconds)} required />
      <Field
        label={t('Turn it off after (minutes)')}
        name="minutes"
        inputmode="numeric"
        value={String(raid.minutes)}
        hint={t('Counted from the last time too many people joined.')}
        required
      />
    </Form>
  );
}

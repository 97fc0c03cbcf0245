import type { RestAnswer } from '../../../../client/index.ts';
import { can, parley } from '../../state/client.ts';
import { pathTo } from '../../state/router.ts';
import { Button } from '../parts/Button.tsx';
import { Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block } from '../parts/Page.tsx';
import { Row } from '../parts/Row.tsx';
import { shortTime } from '../parts/time.ts';

type InviteCode = RestAnswer<'GET /api/invite-codes'>[number];

/** Codes that make members of visitors; visitors make none. */
export function InviteCodes() {
  if (can('invite:create')) return <OwnCodes />;
  return (
    <Block title="Invite codes">
      <p class="faint">
        Members make them. To become one, <a href={pathTo.settings('profile')}>redeem one</a>.
      </p>
    </Block>
  );
}

function OwnCodes() {
  const { value: list, load, after } = useLoaded(() => parley.rest('GET /api/invite-codes'), []);
  const create = async ({ text }: Fields) => {
    await parley.rest('POST /api/invite-codes', { body: { count: 1, note: text('note') || undefined } });
    await load();
  };
  return (
    <Form class="block" action="New code" work={create} clear>
      <h2>Invite codes</h2>
      <p class="faint">Whoever redeems one may create servers and invite others. Each works once.</p>
      <ul class="people">
        {list?.map((code) => (
          <Row key={code.id} name={code.code} about={aboutCode(code)}>
            {code.isActive && !code.usedBy && (
              <Button
                label="Deactivate"
                kind="quiet"
                onClick={() => after(() => parley.rest('PATCH /api/invite-codes/:id/deactivate', { id: code.id }))}
              />
            )}
            <Button
              label="Delete"
              kind="quiet"
              onClick={() => after(() => parley.rest('DELETE /api/invite-codes/:id', { id: code.id }))}
            />
          </Row>
        ))}
      </ul>
      <Field label="Note" name="note" maxlength={200} hint="Whom it is for; may be left out." />
    </Form>
  );
}

function aboutCode({ usedByUser, isActive, createdAt, note }: InviteCode): string {
  const state = usedByUser
    ? `used by ${usedByUser.displayName}`
    : isActive
      ? `made ${shortTime(createdAt)}`
      : 'not valid any more';
  return note ? `${note} · ${state}` : state;
}

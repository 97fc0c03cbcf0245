import { me, parley, remember } from '../../state/client.ts';
import { tell } from '../../state/toasts.ts';
import { Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { Block } from '../parts/Page.tsx';

export function Profile() {
  const save = async ({ text }: Fields) => {
    const body = { displayName: text('displayName'), avatarUrl: text('avatarUrl') || null };
    remember(await parley.rest('PATCH /api/auth/me', { body }));
    tell('Your profile is saved.');
  };
  const user = me.value;
  return (
    <>
      <Form class="block" action="Save" work={save}>
        <h2>Profile</h2>
        <p class="faint">
          You are @{user?.username}, {user?.email}.
        </p>
        <Field
          label="Display name"
          name="displayName"
          autocomplete="nickname"
          maxlength={64}
          value={user?.displayName}
          required
        />
        <Field label="Picture (address)" name="avatarUrl" type="url" value={user?.avatarUrl ?? ''} />
      </Form>
      <Membership />
    </>
  );
}

function Membership() {
  const membership = me.value?.membership;
  const redeem = async ({ text }: Fields) => {
    const answer = await parley.rest('POST /api/membership/redeem-invite', { body: { code: text('code') } });
    if (me.value) remember({ ...me.value, membership: answer, status: answer.status });
    tell('Welcome! You can do more now.');
  };
  if (!membership) return null;
  const title = `Membership: ${membership.tier.label}`;
  if (membership.isMember)
    return (
      <Block title={title} about="You may create servers and invite others.">
        {null}
      </Block>
    );
  return (
    <Form class="block" action="Redeem" work={redeem} clear>
      <h2>{title}</h2>
      <p class="faint">Redeem an invite code to create servers and to invite others.</p>
      <Field label="Invite code" name="code" maxlength={64} required />
    </Form>
  );
}

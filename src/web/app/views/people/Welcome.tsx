import { useState } from 'preact/hooks';
import { can } from '../../state/client.ts';
import { go, pathTo } from '../../state/router.ts';
import { Button } from '../parts/Button.tsx';
import { Field } from '../parts/Field.tsx';
import { Form } from '../parts/Form.tsx';
import { Block } from '../parts/Page.tsx';
import { CreateServer } from '../server/CreateServer.tsx';

/** For those who are in no server: how one comes into one. */
export function Welcome() {
  const [creating, setCreating] = useState(false);
  return (
    <>
      <Block title="Welcome to Parley" about="People talk in servers, and you are in none yet.">
        <p class="ways">
          <a class="button quiet" href="/app/discover">
            Find a public server
          </a>
          {can('server:create') && <Button label="Create a server" onClick={() => setCreating(true)} />}
        </p>
        {!can('server:create') && (
          <p class="faint">
            To create one of your own, <a href={pathTo.settings('profile')}>redeem an invite code</a>.
          </p>
        )}
      </Block>
      <JoinByLink />
      {creating && <CreateServer onClose={() => setCreating(false)} />}
    </>
  );
}

/** An invitation that came as text. */
export function JoinByLink() {
  return (
    <Form class="block beside" action="Join" work={async ({ text }) => go(pathTo.invite(codeIn(text('invitation'))))}>
      <Field label="Invitation to a server" name="invitation" placeholder="Link or code" maxlength={500} required />
    </Form>
  );
}

const codeIn = (text: string): string => text.replace(/^.*\/invite\//, '').replace(/[/?#].*$/, '');

import type { Message } from '../../../../client/index.ts';
import { PersonButton } from '../parts/PersonButton.tsx';
import { SaidEmoji } from '../people/Said.tsx';

/** The name of a user, which opens their profile, with the emoji of what they say of themselves. */
export function AuthorButton({ author }: { author: Message['author'] }) {
  return (
    <>
      <PersonButton person={author} class="author name">
        {author.displayName}
      </PersonButton>
      <SaidEmoji userId={author.id} />
    </>
  );
}

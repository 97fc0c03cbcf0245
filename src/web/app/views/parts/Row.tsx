import type { ComponentChildren } from 'preact';

interface RowProps {
  name: ComponentChildren;
  about?: ComponentChildren;
  /** Before the name. */
  picture?: ComponentChildren;
  /** Where the name leads. */
  href?: string;
  /** What can be done with it. */
  children?: ComponentChildren;
}

/** An entry of a list: what it is, something about it, and what can be done with it. */
export function Row({ name, about, picture, href, children }: RowProps) {
  return (
    <li>
      {picture}
      <span class="who">
        {href ? (
          <a class="name" href={href}>
            {name}
          </a>
        ) : (
          <span class="name">{name}</span>
        )}
        {about && <span class="faint">{about}</span>}
      </span>
      {children}
    </li>
  );
}

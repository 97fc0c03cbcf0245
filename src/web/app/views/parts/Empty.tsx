import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './Icon.tsx';

interface EmptyProps {
  icon: IconName;
  title: string;
  /** How something gets there. */
  about: string;
  /** What leads there. */
  children?: ComponentChildren;
}

/** What stands in the place of a list that has nothing yet. */
export function Empty({ icon, title, about, children }: EmptyProps) {
  return (
    <section class="nothing">
      <span class="sign">
        <Icon name={icon} />
      </span>
      <h2>{title}</h2>
      <p>{about}</p>
      {children}
    </section>
  );
}

import type { ToolPages } from '../../dashboard/page.tsx';
import { evidenceList, evidenceSection } from './evidence-section.tsx';
import { golivePage } from './page.tsx';
import { STYLES } from './styles.ts';

export const golivePages: ToolPages = {
  styles: STYLES,
  menu: [{ path: '/dashboard/go-live', name: 'Go-live', shortcut: 'l', render: golivePage }],
  sections: {
    '/dashboard/requests/:id': evidenceSection,
    '/dashboard/deliveries/:id': evidenceSection,
    '/dashboard/events': evidenceList,
  },
};

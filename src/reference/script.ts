/**
 * All that the pages run: buttons to copy code, and the language that was chosen last. Without it the pages
 * lack nothing but these.
 */
export const SCRIPT = `'use strict';
const KEPT = 'sandlot.reference.language';

function kept() {
  try { return localStorage.getItem(KEPT); } catch { return null; }
}

const radios = [...document.querySelectorAll('input[name="language"]')];
for (const radio of radios) {
  if (radio.value === kept()) radio.checked = true;
  radio.addEventListener('change', () => {
    // What is being read stays where it is, though what stands above it changes its height.
    try { localStorage.setItem(KEPT, radio.value); } catch {}
  });
}

const said = document.createElement('p');
said.className = 'unseen';
said.setAttribute('role', 'status');
document.body.append(said);

async function copy(button, text) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'Not allowed';
  }
  said.textContent = button.textContent;
  setTimeout(() => { button.textContent = button.dataset.label; said.textContent = ''; }, 1500);
}

function addButton(figure, label, textOf) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = button.dataset.label = label;
  button.addEventListener('click', () => copy(button, textOf()));
  figure.querySelector('.copies').append(button);
}

const codeOf = (figure) => figure.querySelector('code').textContent + '\\n';

for (const figure of document.querySelectorAll('figure.code')) {
  const copies = document.createElement('div');
  copies.className = 'copies';
  figure.prepend(copies);
  const signer = figure.dataset.signer && document.getElementById(figure.dataset.signer);
  addButton(figure, signer ? 'Copy call' : 'Copy', () => codeOf(figure));
  if (signer) addButton(figure, 'Copy program', () => codeOf(signer) + '\\n' + codeOf(figure));
}
`;

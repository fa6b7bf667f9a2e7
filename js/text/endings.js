// endings.js - what names of files and of hosts end in, as far as it tells them from a missing space after a full stop.
// Used by keep.js.

/** Endings of file names. */
export const EXTENSIONS = new Set((
  '7z aac avi bak bat bin bmp bz2 c cc cfg cjs class cmake conf cpp cs css csv dat db deb dll dmg doc docx env epub ' +
  'exe flac flv gif gitignore go gradle gz h hpp htm html ico ini ipynb iso jar java jpeg jpg js json jsonl jsx kt ' +
  'less lock log lua m4a md mjs mkv mov mp3 mp4 mpeg mpg msi npz odp ods odt ogg otf pdf php pkg pl png ppt pptx ' +
  'properties ps1 psd py pyc r rar rb rpm rs rst rtf safetensors sass scala scss sh so spm sql sqlite srt svg swift ' +
  'tar tex tgz tif tiff toml ts tsv tsx ttf txt vcf vue wasm wav webm webp wmv woff woff2 xls xlsx xml xz yaml yml ' +
  'zip zst'
).split(' '));

/** Endings of names of hosts: general ones, and those of countries. */
export const DOMAINS = new Set((
  'app art bank biz blog cafe cat chat city cloud club com community company design dev digital edu email events ' +
  'expert fun games global gov group guide host house info int jobs legal life link live local localhost london ' +
  'love ltd media mil mobi money museum name net network news ngo one online org page paris photo photos pizza ' +
  'place plus press pro pub rocks run sale school science services shop site social software solutions space store ' +
  'studio style support systems tax team tech tips today tools top tours town toys travel tube university video vip ' +
  'wiki work works world wtf xyz zone berlin hamburg wien koeln bayern saarland swiss versicherung' +
  ' ' +
  'co eu tv ad ae af ag ai al am ao ar at au aw az ba bd be bf bg bh bi bj bn bo br bs bt bw by bz ca cd cf cg ch ' +
  'ci cl cm cn cr cu cv cy cz de dj dk dm do dz ec ee eg er es et fi fj fm fo fr ga gd ge gg gh gi gl gm gn gr gt ' +
  'gy hk hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh kr kw ky kz la lb li lk lr ls lt lu lv ly ' +
  'ma mc md me mg mk ml mm mn mo mr mt mu mv mw mx my mz na ne ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm ' +
  'pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si sk sl sm sn so sr st su sv sy sz tc td tg th tj tk tl ' +
  'tm tn to tr tt tw tz ua ug uk us uy uz va vc ve vg vn vu wf ws ye yt za zm zw'
).split(' '));

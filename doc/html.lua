-- For pandoc: links lead to pages where there are such, else to the files where they are installed, in
-- the folder above; the first heading is the title of the page.
function Link(link)
  if link.target:match("^%a+:") or link.target:match("^#") then
    return link
  end
  local folder, name, place = link.target:match("^(.-)([^/]+)%.md(#?.*)$")
  if folder == "" or folder == "../" or folder == "doc/" then
    link.target = name .. ".html" .. place
  else
    link.target = "../" .. link.target:gsub("^%.%./", "")
  end
  return link
end

function Image(image)
  image.src = image.src:gsub("^doc/", "")
  return image
end

function Pandoc(document)
  for _, block in ipairs(document.blocks) do
    if block.t == "Header" then
      document.meta.pagetitle = pandoc.utils.stringify(block)
      break
    end
  end
  return document
end

// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.patch

import org.apache.xbean.asm9.commons.{GeneratorAdapter, Method}
import org.apache.xbean.asm9.{ClassReader, ClassVisitor, ClassWriter, MethodVisitor, Opcodes, Type}

/**
 * Puts calls to [[org.apache.spark.sql.delta.CollationsBridge]] into the bytes of a Delta class.
 *
 * Only method bodies change, and without new locals or branches: so the same bytes serve for a class
 * that is not loaded yet and for one that is, and the verifier needs no new stack maps.
 */
private[delta] object ClassRewriter {

  /**
   * Adds one hook. The JVM verifies a class when it first uses it, which is too late to go on without
   * the hook; so whatever the verifier could reject in the added code is rejected here.
   *
   * Hooks are added last to first: an argument then passes them in the order of the table.
   *
   * @return
   *   the new bytes, or the reason why the hook does not fit
   */
  def rewrite(bytes: Array[Byte], hook: Hook): Either[String, Array[Byte]] = {
    val reader = new ClassReader(bytes)
    val writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS)
    val visitor = new HookedClass(writer, hook)
    reader.accept(visitor, ClassReader.EXPAND_FRAMES)
    visitor.misfit.toLeft(writer.toByteArray)
  }

  private val bridge = Type.getObjectType("org/apache/spark/sql/delta/CollationsBridge")

  private val bridgeCall = {
    val any = Type.getType(classOf[Object])
    val arguments =
      Array(any, any, Type.getType(classOf[Array[Object]]), Type.getType("Ljava/lang/String;"))
    new Method("apply", any, arguments)
  }

  private def isReference(kind: Type): Boolean =
    kind.getSort == Type.OBJECT || kind.getSort == Type.ARRAY

  final private class HookedClass(next: ClassVisitor, hook: Hook)
      extends ClassVisitor(Opcodes.ASM9, next) {

    private val accepted = hook.signatures.map(Signature.descriptor)
    private val place = s"${hook.className.split('.').last}.${hook.method}"
    private var isChanged = false
    private var otherTypes = Seq.empty[String]
    private var unusable = Option.empty[String]

    /** Why the hook does not fit the class, if it does not. */
    def misfit: Option[String] =
      if (unusable.isDefined) unusable
      else if (isChanged) None
      else if (otherTypes.isEmpty) Some(s"${hook.className} has no method ${hook.method}")
      else
        Some(
          s"$place has the types ${otherTypes.map(Signature.of).mkString(" and ")} " +
            s"instead of ${hook.signatures.mkString(" or ")}"
        )

    override def visitMethod(
        access: Int,
        name: String,
        descriptor: String,
        signature: String,
        exceptions: Array[String]
    ): MethodVisitor = {
      val method = super.visitMethod(access, name, descriptor, signature, exceptions)
      val hasOwnBody = (access & (Opcodes.ACC_BRIDGE | Opcodes.ACC_ABSTRACT)) == 0
      if (!hasOwnBody || !isNamed(name)) method
      else if (!accepted.contains(descriptor)) {
        otherTypes :+= descriptor
        method
      } else if (lacksReference(descriptor)) {
        unusable = Some(s"$place has no object where the hook ${hook.name} expects one")
        method
      } else {
        isChanged = true
        new HookedMethod(method, access, name, descriptor, hook, () => unusable = Some(reused))
      }
    }

    /** Returns whether the value to replace does not exist or is a primitive. */
    private def lacksReference(descriptor: String): Boolean = hook.kind match {
      case HookKind.OnEntry => false
      case HookKind.ReplaceArgument(index) =>
        !Type.getArgumentTypes(descriptor).lift(index).exists(isReference)
      case HookKind.ReplaceResult => !isReference(Type.getReturnType(descriptor))
    }

    private def reused: String = s"$place keeps other values in the place of its parameters"

    /** Scala puts the class in front of the name of a private method that another class calls. */
    private def isNamed(found: String): Boolean =
      found == hook.method || found.endsWith("$$" + hook.method)
  }

  /** @param reuse called where the method stores a value that a parameter cannot have */
  final private class HookedMethod(
      next: MethodVisitor,
      access: Int,
      name: String,
      descriptor: String,
      hook: Hook,
      reuse: () => Unit
  ) extends GeneratorAdapter(Opcodes.ASM9, next, access, name, descriptor) {

    private val isStatic = (access & Opcodes.ACC_STATIC) != 0

    /** What the slots of the receiver and of the parameters hold; none for second halves. */
    private val slots: IndexedSeq[Option[Type]] = {
      val receiver = if (isStatic) None else Some(bridge)
      (receiver ++ getArgumentTypes).toIndexedSeq
        .flatMap(kind => Some(kind) +: Seq.fill(kind.getSize - 1)(None))
    }

    override def visitCode(): Unit = {
      super.visitCode()
      hook.kind match {
        case HookKind.OnEntry =>
          pushNull()
          callBridge()
          pop()
        case HookKind.ReplaceArgument(index) =>
          loadArg(index)
          callBridge()
          checkCast(getArgumentTypes()(index))
          storeArg(index)
        case HookKind.ReplaceResult => ()
      }
    }

    override def visitVarInsn(opcode: Int, slot: Int): Unit = {
      val isStore = opcode >= Opcodes.ISTORE && opcode <= Opcodes.ASTORE
      if (isStore && slots.lift(slot).exists(!_.exists(_.getOpcode(Opcodes.ISTORE) == opcode)))
        reuse()
      super.visitVarInsn(opcode, slot)
    }

    override def visitInsn(opcode: Int): Unit = {
      if (opcode == Opcodes.ARETURN && hook.kind == HookKind.ReplaceResult) {
        callBridge()
        checkCast(getReturnType)
      }
      super.visitInsn(opcode)
    }

    /** Replaces the value on top of the stack with the result of the hook. */
    private def callBridge(): Unit = {
      if (isStatic) pushNull() else loadThis()
      loadArgArray()
      push(hook.name)
      invokeStatic(bridge, bridgeCall)
    }

    private def pushNull(): Unit = push(null: String)
  }
}
